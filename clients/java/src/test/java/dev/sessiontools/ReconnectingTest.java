package dev.sessiontools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

class ReconnectingTest {
    private final FakeChannel channel = new FakeChannel();
    private final List<Duration> pauses = new ArrayList<>();
    private final Deque<Runnable> tasks = new ArrayDeque<>();

    private void watch() {
        new Reconnecting(
                        channel,
                        (pause, task) -> {
                            pauses.add(pause);
                            tasks.add(task);
                        })
                .watch();
    }

    @Test
    void aChannelThatCannotConnectIsAskedToEveryTwoSecondsAtTheLatest() {
        watch();

        channel.become(ConnectivityState.TRANSIENT_FAILURE);
        for (int i = 0; i < 20; i++) {
            tasks.pop().run();
        }

        assertEquals(20, channel.resets);
        assertTrue(pauses.get(0).compareTo(Duration.ofMillis(200)) <= 0);
        assertTrue(pauses.get(20).compareTo(Duration.ofSeconds(1)) > 0);
        assertTrue(pauses.stream().allMatch(each -> each.compareTo(Duration.ofSeconds(2)) <= 0));
    }

    @Test
    void aChannelThatIsConnectedIsLeftAlone() {
        watch();
        channel.become(ConnectivityState.TRANSIENT_FAILURE);
        channel.become(ConnectivityState.READY);

        tasks.pop().run();

        assertEquals(0, channel.resets);
        assertTrue(tasks.isEmpty());
    }

    @Test
    void aSecondOutageIsHurriedOnce() {
        watch();
        channel.become(ConnectivityState.TRANSIENT_FAILURE);
        channel.become(ConnectivityState.READY);
        channel.become(ConnectivityState.TRANSIENT_FAILURE);

        tasks.pop().run(); // of the first
        tasks.pop().run();

        assertEquals(1, channel.resets);
        assertEquals(1, tasks.size());
    }

    @Test
    void aChannelThatIsShutDownIsWatchedNoMore() {
        watch();

        channel.become(ConnectivityState.SHUTDOWN);

        assertEquals(null, channel.watcher);
    }

    /** A channel whose state is the test's. */
    private static final class FakeChannel extends ManagedChannel {
        private ConnectivityState state = ConnectivityState.IDLE;
        private Runnable watcher;
        private int resets;

        void become(ConnectivityState next) {
            state = next;
            Runnable told = watcher;
            watcher = null;
            told.run();
        }

        @Override
        public ConnectivityState getState(boolean requestConnection) {
            return state;
        }

        @Override
        public void notifyWhenStateChanged(ConnectivityState source, Runnable callback) {
            watcher = callback;
        }

        @Override
        public void resetConnectBackoff() {
            resets++;
        }

        @Override
        public ManagedChannel shutdown() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ManagedChannel shutdownNow() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }

        @Override
        public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String authority() {
            return "fake";
        }
    }
}

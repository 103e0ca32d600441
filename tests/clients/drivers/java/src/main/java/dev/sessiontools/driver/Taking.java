package dev.sessiontools.driver;

import dev.sessiontools.SessionToolsException;
import dev.sessiontools.WaitRun;

/** A wait that is taken from piece by piece. */
final class Taking {
    private final WaitRun wait;

    Taking(WaitRun wait) {
        this.wait = wait;
    }

    /** Takes one after the other, also when two commands ask for it. */
    synchronized void next(Command command, Answers answers) {
        try {
            take(command, answers);
        } catch (SessionToolsException failure) {
            answers.failure(command, failure);
        }
    }

    private void take(Command command, Answers answers) {
        int count = command.count() == null ? 1 : command.count();
        for (int i = 0; i < count; i++) {
            if (!wait.hasNext()) {
                answers.end(command);
                return;
            }
            answers.message(command, "event", wait.next());
        }
        answers.done(command);
    }

    /** Not one at a time: it is to end a take that is under way. */
    void cancel() {
        wait.close();
    }
}

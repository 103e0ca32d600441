use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

pub(crate) const MIN_PAUSE: Duration = Duration::from_millis(200);
pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(10);

/// A pause of random length, so that the clients of a server that comes back do not all come at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pause {
    pub(crate) at_least: Duration,
    /// How much longer it may be.
    pub(crate) spread: Duration,
}

impl Pause {
    pub(crate) fn draw(self) -> Duration {
        self.at_least + self.spread.mul_f64(fastrand::f64())
    }
}

/// How a client sleeps; tests note the pauses instead of making them.
#[derive(Clone)]
pub(crate) struct Sleep(pub(crate) Arc<dyn Fn(Pause) -> BoxFuture<'static, ()> + Send + Sync>);

impl Default for Sleep {
    fn default() -> Self {
        Self(Arc::new(|pause| Box::pin(tokio::time::sleep(pause.draw()))))
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sleep")
    }
}

/// The pauses between attempts, longer with every failure.
#[derive(Debug)]
pub(crate) struct Pauses {
    failures: u32,
    sleep: Sleep,
}

impl Pauses {
    pub(crate) fn new(sleep: &Sleep) -> Self {
        Self { failures: 0, sleep: sleep.clone() }
    }

    /// Waits before the attempt that follows a failure, at least for this long.
    pub(crate) async fn after_failure(&mut self, at_least: Duration) {
        let pause = Pause { at_least, spread: longest(self.failures) };
        self.failures = self.failures.saturating_add(1);
        (self.sleep.0)(pause).await;
    }

    /// Is for an attempt that brought something.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }
}

pub(crate) fn longest(failures: u32) -> Duration {
    // 0.2 s doubled six times is above the maximum
    MAX_PAUSE.min(MIN_PAUSE * 2u32.pow(failures.min(6)))
}

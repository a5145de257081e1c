//! How a connection learns that the service ends.
//!
//! The HTTP library asks for each connection in every turn of it. What answers has no state of its own: it looks at a
//! bell that hangs in every worker and is always at hand, where a future for each connection comes from afar and takes
//! locks. The bell is rung by the signal of the server, to which every connection listens from its first turn on.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

thread_local! {
    /// Whether the service ends whose worker this thread is.
    static BELL: Arc<AtomicBool> = Arc::default();
}

/// Is ready when the bell of this worker has rung. Whoever waits for it has a [`Listener`] that wakes it.
pub(crate) struct Ending;

impl Future for Ending {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if BELL.with(|bell| bell.load(Ordering::Acquire)) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// Rings the bell, and wakes a task, when a signal comes. It comes once.
pub(super) struct Listener {
    signal: Pin<Box<dyn Future<Output = ()>>>,
    listens: bool,
}

impl Listener {
    pub(super) fn new(signal: impl Future<Output = ()> + 'static) -> Self {
        Self { signal: Box::pin(signal), listens: false }
    }

    /// Listens for the task that asks, from the first time on.
    pub(super) fn listen(&mut self, context: &Context<'_>) {
        if self.listens {
            return;
        }
        self.listens = true;
        let alarm = Arc::new(Alarm { bell: BELL.with(Arc::clone), task: context.waker().clone() });
        if self.signal.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::clone(&alarm)))).is_ready() {
            alarm.wake();
        }
    }
}

/// What wakes the signal and the task.
struct Alarm {
    bell: Arc<AtomicBool>,
    task: Waker,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        // In this order, or the task could look before it is told.
        self.bell.store(true, Ordering::Release);
        self.task.wake_by_ref();
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::watch;

    use super::*;

    /// A flag that says whether it was woken.
    #[derive(Default)]
    struct Task(AtomicBool);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    impl Task {
        fn is_woken(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }

    fn ends() -> bool {
        Pin::new(&mut Ending).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    fn listener(receiver: &watch::Receiver<()>) -> Listener {
        let mut receiver = receiver.clone();
        Listener::new(async move { drop(receiver.changed().await) })
    }

    #[test]
    fn whoever_listens_is_woken_and_then_it_is_the_end_for_all_of_the_worker() {
        let (sender, receiver) = watch::channel(());
        let tasks = [(); 3].map(|()| Arc::new(Task::default()));
        let mut listeners = [(); 3].map(|()| listener(&receiver));
        for (listener, task) in listeners.iter_mut().zip(&tasks).take(2) {
            for _ in 0..2 {
                listener.listen(&Context::from_waker(&Waker::from(Arc::clone(task))));
            }
        }
        assert!(!ends() && tasks.iter().all(|task| !task.is_woken()));
        // The signal comes from another thread.
        std::thread::spawn(move || sender.send_replace(())).join().unwrap();
        assert!(ends());
        assert_eq!(tasks.each_ref().map(|task| task.is_woken()), [true, true, false], "the third does not listen yet");
        listeners[2].listen(&Context::from_waker(&Waker::from(Arc::clone(&tasks[2]))));
        assert!(tasks[2].is_woken(), "who comes late is told at once");
        assert!(!std::thread::spawn(ends).join().unwrap(), "another worker has a bell of its own");
    }
}

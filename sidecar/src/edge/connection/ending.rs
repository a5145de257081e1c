//! How a connection learns that the service ends.
//!
//! The HTTP library asks on behalf of each connection in every turn of it. What answers has no state of its own: it
//! looks at a flag of its worker, which is always at hand, whereas a future for each connection comes from afar and
//! takes locks. The flag is set by the server's signal, to which every connection listens from its first turn on.

use std::{
    cell::Cell,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

thread_local! {
    /// Whether the service whose worker this thread is ends.
    static ENDS: Cell<bool> = const { Cell::new(false) };
    /// Whether the signal of any connection of this worker has called, so that it has to be asked.
    static BELL: Arc<AtomicBool> = Arc::default();
}

/// A future that is ready when the service of this worker ends. Whoever waits for it has a [`Listener`] that wakes it.
pub(crate) struct Ending;

impl Ending {
    /// Whether the service of this worker ends, so that the library accepts no more requests.
    pub(crate) fn has_come() -> bool {
        ENDS.get()
    }
}

impl Future for Ending {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if ENDS.get() { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// Listens for a signal, which comes once, and then wakes its task.
pub(super) struct Listener {
    signal: Pin<Box<dyn Future<Output = ()>>>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Deaf,
    Listening,
    Told,
}

impl Listener {
    pub(super) fn new(signal: impl Future<Output = ()> + 'static) -> Self {
        Self { signal: Box::pin(signal), state: State::Deaf }
    }

    /// Listens on behalf of the task that asks, which asks in every turn.
    pub(super) fn listen(&mut self, context: &Context<'_>) {
        let asks = match self.state {
            State::Deaf => true,
            State::Listening => BELL.with(|bell| bell.load(Ordering::Acquire)),
            State::Told => false,
        };
        if asks {
            self.ask(context);
        }
    }

    fn ask(&mut self, context: &Context<'_>) {
        let alarm = Alarm { bell: BELL.with(Arc::clone), task: context.waker().clone() };
        let is_over = || self.signal.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::new(alarm)))).is_ready();
        self.state = if ENDS.get() || is_over() { State::Told } else { State::Listening };
        if self.state == State::Told {
            ENDS.set(true);
            context.waker().wake_by_ref();
        }
    }
}

/// What the signal wakes: the flag and the task.
struct Alarm {
    bell: Arc<AtomicBool>,
    task: Waker,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        // In this order, or the task could look before the flag is set.
        self.bell.store(true, Ordering::Release);
        self.task.wake_by_ref();
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::watch;

    use super::*;

    /// A task that records whether it was woken.
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
        Listener::new(async move {
            if receiver.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }

    fn waker(task: &Arc<Task>) -> Waker {
        Waker::from(Arc::clone(task))
    }

    #[test]
    fn whoever_listens_is_woken_and_then_it_is_the_end_for_all_of_the_worker() {
        let (sender, receiver) = watch::channel(());
        let tasks = [(); 3].map(|()| Arc::new(Task::default()));
        let mut listeners = [(); 3].map(|()| listener(&receiver));
        for (listener, task) in listeners.iter_mut().zip(&tasks).take(2) {
            for _ in 0..2 {
                listener.listen(&Context::from_waker(&waker(task)));
            }
        }
        assert!(!ends() && tasks.iter().all(|task| !task.is_woken()));
        // The signal comes from another thread.
        std::thread::spawn(move || sender.send_replace(())).join().unwrap();
        assert_eq!(tasks.each_ref().map(|task| task.is_woken()), [true, true, false], "the third does not listen yet");
        for (listener, task) in listeners.iter_mut().zip(&tasks) {
            task.0.store(false, Ordering::Relaxed);
            listener.listen(&Context::from_waker(&waker(task)));
            assert!(ends() && task.is_woken(), "who is told looks once more");
            task.0.store(false, Ordering::Relaxed);
            listener.listen(&Context::from_waker(&waker(task)));
            assert!(!task.is_woken(), "once");
        }
        assert!(!std::thread::spawn(ends).join().unwrap(), "another worker has a flag of its own");
    }

    #[test]
    fn a_signal_that_calls_and_does_not_come_is_no_end() {
        let (sender, receiver) = watch::channel(());
        let task = Arc::new(Task::default());
        let mut quiet = listener(&receiver);
        quiet.listen(&Context::from_waker(&waker(&task)));
        drop(sender);
        assert!(task.is_woken());
        quiet.listen(&Context::from_waker(&waker(&task)));
        assert!(!ends());
    }
}

//! A future that is left alone until it wakes.
//!
//! The HTTP library asks in every turn of every connection whether the service is ending, and that takes locks each
//! time. Between two polls nothing can have changed unless the waker was called that the future was given.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

/// Polls a future once for each task that asks, and every time once it, or another with its bell, has called its waker:
/// for signals that come once.
pub(crate) struct Sleeper<F> {
    future: F,
    task: Option<Waker>,
    bell: Bell,
}

/// Says whether any of those who listen to it was woken. All connections of a worker share one, which is then at hand
/// where one for each would not be.
#[derive(Clone, Default)]
pub(crate) struct Bell(Arc<AtomicBool>);

/// What wakes the future and whoever waits for it.
struct Alarm {
    bell: Bell,
    task: Waker,
}

impl<F> Sleeper<F> {
    pub(crate) fn new(future: F, bell: Bell) -> Self {
        Self { future, task: None, bell }
    }
}

impl<F: Future + Unpin> Future for Sleeper<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let task = context.waker();
        if !self.bell.0.load(Ordering::Acquire) && self.task.as_ref().is_some_and(|known| known.will_wake(task)) {
            return Poll::Pending;
        }
        self.task = Some(task.clone());
        let alarm = Alarm { bell: self.bell.clone(), task: task.clone() };
        Pin::new(&mut self.future).poll(&mut Context::from_waker(&Waker::from(Arc::new(alarm))))
    }
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        // In this order, or the task could look before it is told.
        self.bell.0.store(true, Ordering::Release);
        self.task.wake_by_ref();
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, future::poll_fn, pin::pin, rc::Rc};

    use tokio::sync::oneshot;

    use super::*;

    /// A flag that says whether it was woken.
    #[derive(Default)]
    struct Task(AtomicBool);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    fn task() -> (Arc<Task>, Waker) {
        let task = Arc::new(Task::default());
        (Arc::clone(&task), Waker::from(task))
    }

    #[test]
    fn a_future_is_polled_again_only_when_it_wakes_or_another_task_asks() {
        let (sender, mut receiver) = oneshot::channel();
        let polls = Rc::new(Cell::new(0));
        let counted = poll_fn(|context| {
            polls.set(polls.get() + 1);
            Pin::new(&mut receiver).poll(context)
        });
        let mut sleeper = pin!(Sleeper::new(counted, Bell::default()));
        let (first, first_waker) = task();
        for _ in 0..3 {
            assert!(sleeper.as_mut().poll(&mut Context::from_waker(&first_waker)).is_pending());
        }
        assert_eq!(polls.get(), 1);
        let (second, second_waker) = task();
        let mut context = Context::from_waker(&second_waker);
        for _ in 0..3 {
            assert!(sleeper.as_mut().poll(&mut context).is_pending());
        }
        assert_eq!(polls.get(), 2);
        sender.send(7).unwrap();
        assert!(second.0.load(Ordering::Relaxed) && !first.0.load(Ordering::Relaxed), "who asked last is woken");
        assert_eq!(sleeper.as_mut().poll(&mut context), Poll::Ready(Ok(7)));
    }

    #[test]
    fn whoever_shares_a_bell_is_polled_when_it_has_rung() {
        let bell = Bell::default();
        let polls = Cell::new(0);
        let counted = poll_fn(|_| {
            polls.set(polls.get() + 1);
            Poll::<()>::Pending
        });
        let (sender, receiver) = oneshot::channel();
        let (mut sleeper, mut other) = (pin!(Sleeper::new(counted, bell.clone())), pin!(Sleeper::new(receiver, bell)));
        let (_, waker) = task();
        let mut context = Context::from_waker(&waker);
        for _ in 0..2 {
            assert!(sleeper.as_mut().poll(&mut context).is_pending() && other.as_mut().poll(&mut context).is_pending());
        }
        assert_eq!(polls.get(), 1);
        sender.send(()).unwrap();
        assert!(sleeper.as_mut().poll(&mut context).is_pending() && other.as_mut().poll(&mut context).is_ready());
        assert_eq!(polls.get(), 2);
    }

    #[test]
    fn a_future_that_wakes_without_an_end_is_polled_again() {
        let mut left = 3;
        let patient = poll_fn(move |context| {
            left -= 1;
            context.waker().wake_by_ref();
            if left == 0 { Poll::Ready(()) } else { Poll::Pending }
        });
        let mut sleeper = pin!(Sleeper::new(patient, Bell::default()));
        let (_, waker) = task();
        let mut context = Context::from_waker(&waker);
        assert!(sleeper.as_mut().poll(&mut context).is_pending());
        assert!(sleeper.as_mut().poll(&mut context).is_pending());
        assert!(sleeper.as_mut().poll(&mut context).is_ready());
    }
}

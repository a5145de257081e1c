//! The service of one worker: names each request that the library hands over, counts its answer, and lets no panic
//! escape. It sees neither what the library refuses on its own nor what a connection answers.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll},
};

use actix_http::{HttpMessage as _, Request, Response};
use actix_service::Service;
use contract::errors::ErrorCode;

use super::{
    answer::{
        delivery::{Body, Delivery},
        payload::Reply,
        refusal,
    },
    metrics::{Counters, Kind},
    request_id::{self, RequestId},
    routes,
    shared::{Answer, Later},
    worker::Worker,
};

/// The service of one worker.
pub(crate) struct Front(pub(crate) Rc<Worker>);

impl Service<Request> for Front {
    type Response = Response<Body>;
    type Error = actix_web::Error;
    type Future = Answering;

    fn poll_ready(&self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&self, mut request: Request) -> Self::Future {
        let Worker { shared, counters, ids, .. } = &*self.0;
        let id = ids.name(request.headers().get(&request_id::FIELD));
        let delivery = Delivery::of(&mut request);
        if delivery.is_too_late() {
            return Answering::Done(Some(delivery.send(refusal::refuse(ErrorCode::InvalidRequest), &id)));
        }
        // Whatever answering changes is either its own or counted in one step, so nothing is left half done.
        let answer = catch_unwind(AssertUnwindSafe(|| routes::answer(shared, &mut request)));
        match answer.unwrap_or_else(|_| Answer::Now(Kind::None, broken(&id))) {
            Answer::Now(kind, reply) => {
                counters.count(kind, reply.status());
                if let Some(octets) = delivery.take_octets() {
                    self.0.learn(octets, &request, kind, &reply);
                }
                // The library polls at once what it has called; nothing is written in between.
                Answering::Done(Some(delivery.send(reply, &id)))
            }
            Answer::Later(kind, later) => {
                delivery.set_in_the_making();
                let counters = Arc::clone(counters);
                Answering::Waiting(Box::new(Waiting { kind, later, id, counters, delivery }))
            }
        }
    }
}

/// An answer that is ready, or one that waits for a body or for the store.
pub(crate) enum Answering {
    /// What most requests get: nothing was waited for and nothing was allocated.
    Done(Option<Response<Body>>),
    Waiting(Box<Waiting>),
}

pub(crate) struct Waiting {
    kind: Kind,
    later: Later,
    id: RequestId,
    counters: Arc<Counters>,
    delivery: Delivery,
}

impl Future for Answering {
    type Output = Result<Response<Body>, actix_web::Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            // Nobody polls a future that has ended.
            Self::Done(response) => response.take().map_or(Poll::Pending, |response| Poll::Ready(Ok(response))),
            Self::Waiting(waiting) => {
                // A panic drops the future; what it held in a transaction is rolled back.
                let polled = catch_unwind(AssertUnwindSafe(|| waiting.later.as_mut().poll(context)));
                let reply = match polled {
                    Ok(Poll::Pending) => return Poll::Pending,
                    Ok(Poll::Ready(reply)) => reply,
                    Err(_) => broken(&waiting.id),
                };
                waiting.counters.count(waiting.kind, reply.status());
                Poll::Ready(Ok(waiting.delivery.send(reply, &waiting.id)))
            }
        }
    }
}

fn broken(id: &RequestId) -> Reply {
    tracing::error!(request_id = id.value().to_str().unwrap_or_default(), "a request could not be answered");
    refusal::refuse(ErrorCode::InternalError)
}

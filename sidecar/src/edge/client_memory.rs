//! What a connection knows of requests: what its worker remembers, on behalf of one client.

use std::{net::SocketAddr, rc::Rc};

use super::{
    connection::{Memory, Whole},
    limits::Client,
    recall::Known,
    shared::client_at,
    worker::Worker,
};

/// The memory of a worker for one of its clients.
pub(crate) struct ClientMemory {
    worker: Rc<Worker>,
    client: Client,
}

impl ClientMemory {
    pub(crate) fn new(worker: Rc<Worker>, peer: SocketAddr) -> Self {
        // Also for a worker whose clients never repeat themselves.
        worker.forget_former();
        let client = client_at(&worker.shared, peer);
        Self { worker, client }
    }
}

impl Memory for ClientMemory {
    fn recall(&self, request: &[u8]) -> Known<Whole> {
        self.worker.recall(request, self.client)
    }
}

//! The least that a server on the sidecar's HTTP library can do: it gives the same answer to every request. `bare PORT
//! FILE` answers on the loopback interface with the contents of FILE, a head and a body, as `benches/loop.c` does
//! without the library.

use std::{env, error::Error, fs, net::TcpListener, str};

use actix_http::{HttpService, KeepAlive, Request, Response};
use actix_service::{ServiceFactoryExt as _, fn_service};
use actix_web::{
    dev::Server,
    http::header::{CONTENT_LENGTH, DATE, HeaderName, HeaderValue},
    rt::System,
};
use bytes::Bytes;
use tokio::net::TcpStream;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().collect();
    let [_, port, file] = &arguments[..] else { return Err("usage: bare PORT FILE".into()) };
    let answer = Bytes::from(fs::read(file)?);
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or("the file holds no head")?;
    let mut fields = Vec::new();
    for line in str::from_utf8(&answer[..end])?.lines().skip(1) {
        let (name, value) = line.split_once(": ").ok_or("a field without a value")?;
        let (name, value): (HeaderName, HeaderValue) = (name.parse()?, value.parse()?);
        // The library writes these itself.
        if name != CONTENT_LENGTH && name != DATE {
            fields.push((name, value));
        }
    }
    let body = answer.slice(end + 4..);
    let listener = TcpListener::bind(("127.0.0.1", port.parse()?))?;
    System::new().block_on(async move {
        let server = Server::build().workers(1).listen("bare", listener, move || {
            let (fields, body) = (fields.clone(), body.clone());
            let http = HttpService::build().keep_alive(KeepAlive::Os).h1(fn_service(move |_: Request| {
                let mut response = Response::ok().set_body(body.clone());
                for (name, value) in &fields {
                    response.headers_mut().append(name.clone(), value.clone());
                }
                async { Ok::<_, actix_web::Error>(response) }
            }));
            fn_service(|stream: TcpStream| async move {
                stream.set_nodelay(true)?;
                let peer = stream.peer_addr().ok();
                Ok((stream, peer))
            })
            .and_then(http)
        })?;
        server.run().await
    })?;
    Ok(())
}

//! HTTPS: a trusted certificate is accepted, any other is reported.

use std::{
    io::{Read, Write},
    net::TcpListener,
    sync::Arc,
    thread,
    time::Duration,
};

use cli::Exit;
use rustls::{
    ServerConfig, ServerConnection, Stream,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

use crate::{server::fixture, tool::Tool};

fn file(name: &str) -> String {
    format!("{}/tests/fixtures/tls/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Starts a TLS server with `certificate` that always replies with the English team.
fn start(certificate: &str) -> String {
    let certificate = CertificateDer::from_pem_file(file(certificate)).unwrap();
    let key = PrivateKeyDer::from_pem_file(file("key.pem")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut socket in listener.incoming().map_while(Result::ok) {
            socket.set_read_timeout(Some(Duration::from_mins(2))).unwrap();
            let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = Stream::new(&mut connection, &mut socket);
            let (mut request, mut buffer) = (Vec::new(), [0; 1024]);
            while !request.ends_with(b"\r\n\r\n") {
                match stream.read(&mut buffer) {
                    Ok(length @ 1..) => request.extend_from_slice(&buffer[..length]),
                    // A client that rejects the certificate closes the connection.
                    _ => break,
                }
            }
            let body = fixture("/api/v1/team?locale=en").unwrap();
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            connection.send_close_notify();
            let _ = connection.complete_io(&mut socket);
        }
    });
    format!("https://127.0.0.1:{port}")
}

#[test]
fn host_with_a_trusted_certificate_is_read() {
    let outcome = Tool::asking(&start("certificate.pem")).with("SSL_CERT_FILE", &file("certificate.pem")).run("team");
    assert_eq!(outcome.exit, Exit::Success, "{}", outcome.notes);
    assert!(outcome.data == fixture("/api/v1/team?locale=en").unwrap());
}

#[test]
fn host_with_an_unknown_certificate_is_refused() {
    let outcome = Tool::asking(&start("certificate.pem")).run("team");
    assert_eq!(outcome.exit, Exit::Network, "{}", outcome.notes);
    assert!(outcome.notes.contains("not trusted: no trusted authority has signed it."), "{}", outcome.notes);
    assert!(outcome.notes.contains("SSL_CERT_FILE") && outcome.notes.contains("instead"), "{}", outcome.notes);
}

#[test]
fn certificate_of_an_authority_is_reported_as_such() {
    let outcome = Tool::asking(&start("authority.pem")).with("SSL_CERT_FILE", &file("authority.pem")).run("team");
    assert_eq!(outcome.exit, Exit::Network, "{}", outcome.notes);
    assert!(outcome.notes.contains("not trusted: it is the certificate of an authority"), "{}", outcome.notes);
}

#[test]
fn host_without_tls_is_reported_without_mention_of_certificates() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut socket in listener.incoming().map_while(Result::ok) {
            let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            // Unread input would reset the connection and lose the reply.
            let _ = std::io::copy(&mut socket, &mut std::io::sink());
        }
    });
    let outcome = Tool::asking(&format!("https://127.0.0.1:{port}")).run("health");
    assert_eq!(outcome.exit, Exit::Network, "{}", outcome.notes);
    assert!(outcome.notes.contains("does not speak TLS") && outcome.notes.contains("http://."), "{}", outcome.notes);
    assert!(!outcome.notes.contains("certificate") && !outcome.notes.contains("SSL_CERT_FILE"), "{}", outcome.notes);
}

#[test]
fn file_without_certificates_is_a_usage_error() {
    for path in [file("key.pem"), file("nothing.pem")] {
        let outcome = Tool::asking("https://127.0.0.1:1").with("SSL_CERT_FILE", &path).run("team");
        assert_eq!(outcome.exit, Exit::Usage);
        assert!(outcome.notes.contains("SSL_CERT_FILE"), "{}", outcome.notes);
    }
}

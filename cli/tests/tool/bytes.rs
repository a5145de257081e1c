//! In a pipe the output is the API's exact bytes.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use cli::Exit;

use crate::{
    kept_host::SANDBOX_KEY,
    server::{Reply, Server, fixture},
    tool::Tool,
};

const READS: [(&str, &str); 11] = [
    ("practice-areas", "/api/v1/practice-areas?locale=en"),
    ("practice-areas --locale tr", "/api/v1/practice-areas?locale=tr"),
    ("team", "/api/v1/team?locale=en"),
    ("team -l tr", "/api/v1/team?locale=tr"),
    ("publications", "/api/v1/publications?locale=en"),
    ("publications --locale=tr", "/api/v1/publications?locale=tr"),
    ("contact", "/api/v1/contact?locale=en"),
    ("contact --locale tr", "/api/v1/contact?locale=tr"),
    ("health", "/api/v1/health"),
    ("openapi", "/api/v1/openapi.json"),
    ("catalog", "/.well-known/api-catalog"),
];

#[test]
fn every_command_requests_its_path_and_pipes_the_exact_bytes() {
    let server = Server::start([]);
    for (line, target) in READS {
        let outcome = Tool::asking(&server.url()).run(line);
        assert_eq!(outcome.exit, Exit::Success, "{line}: {}", outcome.notes);
        assert!(outcome.data == fixture(target).unwrap(), "{line} changed the bytes");
        assert_eq!(outcome.notes, "", "{line}");
        let request = server.requests().pop().unwrap();
        assert_eq!((request.method.as_str(), request.target.as_str()), ("GET", target), "{line}");
    }
}

#[test]
fn json_is_indented_on_a_terminal() {
    let server = Server::start([]);
    for (line, target) in READS {
        let outcome = Tool::asking(&server.url()).on_screen(80).run(&format!("{line} --output json"));
        let printed: serde_json::Value = serde_json::from_str(outcome.text()).unwrap();
        assert!(printed == serde_json::from_slice::<serde_json::Value>(&fixture(target).unwrap()).unwrap(), "{line}");
        assert!(outcome.text().starts_with("{\n  \"") && outcome.text().ends_with("\n}\n"), "{line}");
    }
}

#[test]
fn bytes_of_an_unknown_shape_are_piped() {
    let body = "{ \"firm\" : \"Ş\", \"new\": [1.50] }";
    let server = Server::start([Reply::body("application/json", body), Reply::body("application/json", body)]);
    let tool = Tool::asking(&server.url());
    assert_eq!(tool.run("team").text(), body);
    let table = tool.run("team --output table");
    assert_eq!(table.exit, Exit::Failure);
    assert!(table.notes.contains("expected shape") && table.notes.contains("/api/v1/team"), "{}", table.notes);
    assert!(table.notes.ends_with("try: mecelle team --output json\n"), "{}", table.notes);
}

#[test]
fn sandbox_key_is_sent_unless_another_key_is_given() {
    let server = Server::start([]);
    let sent = |tool: &Tool, args: &[&str]| {
        assert_eq!(tool.run_with(args).exit, Exit::Success);
        server.requests().pop().unwrap().fields.get("authorization").cloned()
    };
    let tool = Tool::using(&server.url());
    assert_eq!(sent(&tool, &["team"]), Some(format!("Bearer {SANDBOX_KEY}")));
    assert_eq!(sent(&tool, &["team", "--api-key", ""]), None);
    let tool = tool.with("MECELLE_API_KEY", "ak_from_env");
    assert_eq!(sent(&tool, &["team"]), Some("Bearer ak_from_env".to_owned()));
    assert_eq!(sent(&tool, &["team", "--api-key", "ak_from_flag"]), Some("Bearer ak_from_flag".to_owned()));
}

#[test]
fn base_url_option_overrides_the_variable_and_either_may_end_in_the_api_root() {
    let server = Server::start([]);
    let url = format!("{}/api/v1/", server.url());
    let tool = Tool::asking("https://unreachable.example");
    assert_eq!(tool.run(&format!("health --base-url {url}")).exit, Exit::Success);
    assert_eq!(Tool::asking(&url).run("health").exit, Exit::Success);
}

fn binary(server: &Server) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mecelle"));
    command.env_clear().env("MECELLE_BASE_URL", server.url()).stdin(Stdio::null());
    command
}

#[test]
fn binary_pipes_the_exact_bytes_and_exits_with_the_code() {
    let server = Server::start([]);
    let output = binary(&server).args(["team", "--locale", "tr"]).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(output.stdout == fixture("/api/v1/team?locale=tr").unwrap());
    server.then(Reply::error(404, "not_found"));
    let output = binary(&server).arg("team").output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert!(output.stdout.is_empty());
}

#[test]
fn closed_pipe_ends_the_tool_without_an_error() {
    // More than a pipe buffers.
    let body = format!("{{\"text\":\"{}\"}}", "a".repeat(1 << 20));
    let server = Server::start([Reply::body("application/json", &body)]);
    let mut child =
        binary(&server).args(["openapi", "--no-cache"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn endless_filter_results_are_written_at_once() {
    let server = Server::start([]);
    let mut child = binary(&server)
        .args(["health", "--jq", "repeat(.service)"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((line.as_str(), output.status.code()), ("yalicam-content-api\n", Some(0)));
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_a_failure_of_every_command() {
    let server = Server::start([]);
    for line in [&["team"][..], &["--help"], &["completion", "bash"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = binary(&server).args(line).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{line:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be written"), "{line:?}");
    }
}

//! CSV, Markdown and jq.

use cli::Exit;

use crate::{server::Server, tool::Tool};

#[test]
fn option_that_the_command_ignores_is_rejected() {
    let tool = Tool::asking("https://unreachable.example");
    for (line, option) in [
        ("register --api-key ak_other", "--api-key"),
        ("claim --wait --api-key ak_other", "--api-key"),
        ("logout --jq .", "--jq"),
        ("use https://firm.example --base-url a.example", "--base-url"),
        ("use https://firm.example --output csv", "--output"),
        ("assertion --email ada@client.example --audience a.example --base-url b.example", "--base-url"),
        ("man --jq .", "--jq"),
    ] {
        let outcome = tool.run(line);
        assert_eq!((outcome.exit, outcome.data.len()), (Exit::Usage, 0), "{line}");
        assert!(outcome.notes.contains(&format!("does not use {option} here")), "{line}: {}", outcome.notes);
        assert!(outcome.notes.contains(&format!("Leave {option} out.")), "{line}: {}", outcome.notes);
        assert!(!outcome.notes.contains("ak_other"), "{}", outcome.notes);
    }
}

#[test]
fn number_outside_its_range_is_rejected_with_the_range() {
    for (line, range) in [
        ("search a --limit 0", "from 1 to 50"),
        ("search a --limit 51", "from 1 to 50"),
        ("search a --limit ten", "from 1 to 50"),
        ("team --retries 11", "from 0 to 10"),
        ("team --retries 256", "from 0 to 10"),
    ] {
        let outcome = Tool::asking("").run(line);
        assert_eq!(outcome.exit, Exit::Usage, "{line}");
        assert!(outcome.notes.contains(&format!("give a whole number {range}")), "{line}: {}", outcome.notes);
    }
}

#[test]
fn csv_has_the_fields_of_the_specification_by_name_and_in_order() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url());
    for (line, head) in [
        ("practice-areas", "name,slug,url,summary"),
        ("team", "name,title,slug,url,email,linkedin"),
        ("publications", "title,slug,url,excerpt,date,author,category"),
        ("contact", "field,value"),
        ("catalog", "anchor,rel,href,type,title"),
        ("health", "field,value"),
        ("openapi", "method,path,summary,operationId"),
    ] {
        let outcome = tool.run(&format!("{line} --output csv"));
        assert_eq!(outcome.exit, Exit::Success, "{line}: {}", outcome.notes);
        assert_eq!(outcome.text().split("\r\n").next(), Some(head));
        assert!(outcome.text().ends_with("\r\n"));
    }
    let contact = tool.run("contact --output csv");
    assert!(contact.text().contains("\r\ntelephone,+902125550101\r\n"), "{}", contact.text());
    let health = tool.run("health --output csv");
    assert_eq!(health.text(), "field,value\r\nok,true\r\nservice,yalicam-content-api\r\nsandbox,true\r\n");
}

#[test]
fn csv_leaves_an_absent_field_empty() {
    let server = Server::start([]);
    let text = String::from_utf8(Tool::asking(&server.url()).run("team -o csv").data).unwrap();
    assert!(text.lines().any(|line| line.starts_with("Selin Arkun,") && line.ends_with("@yalicam.example,")), "{text}");
}

#[test]
fn markdown_is_a_table_with_links() {
    let server = Server::start([]);
    let outcome = Tool::asking(&server.url()).run("team --locale tr --output markdown");
    let text = outcome.text();
    assert!(text.contains("| AD | UNVAN | E-POSTA |\n| --- | --- | --- |\n"), "{text}");
    assert!(text.contains("| [Kerem Özsoy](https://yalicam.example/tr/ekip/kerem-ozsoy) | Ortak |"), "{text}");
}

#[test]
fn jq_filters_piped_and_on_a_terminal() {
    let server = Server::start([]);
    for tool in [Tool::asking(&server.url()), Tool::asking(&server.url()).on_screen(80)] {
        let outcome = tool.run_with(&["team", "--locale", "tr", "--jq", ".items[:2][] | .name"]);
        assert_eq!(outcome.text(), "Defne Yalıçam\nKerem Özsoy\n");
        let outcome = tool.run_with(&["team", "--jq", ".items.name"]);
        assert_eq!(outcome.exit, Exit::Failure);
        assert!(outcome.data.is_empty() && outcome.notes.contains("jq filter"), "{}", outcome.notes);
    }
    assert_eq!(Tool::asking(&server.url()).run("team --jq . --output csv").exit, Exit::Usage);
}

#[test]
fn invalid_filter_is_reported_before_any_request() {
    let server = Server::start([]);
    for (line, filter) in [("team", ".items["), ("register", "nothing"), ("team", "")] {
        let outcome = Tool::asking(&server.url()).run_with(&[line, "--jq", filter]);
        assert_eq!(outcome.exit, Exit::Usage, "{filter}");
        assert!(outcome.data.is_empty() && outcome.notes.contains("--jq"), "{}", outcome.notes);
    }
    assert_eq!(server.requests().len(), 0);
}

//! The official Rust client against a served build, with each of its lifecycles: its results must equal the responses
//! of the content API and the pages.
//!
//! `mcp-client URL [KEY]`. With KEY, a credential, it runs every lifecycle without and with it; the two newest read
//! every page once, the others some. Without KEY those two only list and call tools.

mod site;
mod visit;

use std::{env, process::ExitCode, time::Duration};

use rmcp::{
    ClientLifecycleMode, ClientServiceExt as _,
    model::{ClientConfig, Implementation, ProtocolVersion},
    transport::{
        StreamableHttpClientTransport,
        auth::{AuthorizationManager, AuthorizationMetadataSource},
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};

use site::Site;
use visit::{Extent, Findings};

/// Time limit of one visit.
const LONGEST: Duration = Duration::from_mins(1);

/// A lifecycle, and the protocol revision that must result.
struct Way {
    name: &'static str,
    lifecycle: ClientLifecycleMode,
    offers: ProtocolVersion,
    revision: ProtocolVersion,
    /// Whether it is the newest of its kind.
    is_newest: bool,
}

fn ways() -> Vec<Way> {
    let newest = || vec![ProtocolVersion::V_2026_07_28];
    let shaking_hands = [
        ("initialize", ProtocolVersion::V_2025_11_25),
        ("initialize at 2025-06-18", ProtocolVersion::V_2025_06_18),
        ("initialize at 2025-03-26", ProtocolVersion::V_2025_03_26),
        ("initialize at 2024-11-05", ProtocolVersion::V_2024_11_05),
    ];
    let shaking_hands = shaking_hands.map(|(name, revision)| Way {
        name,
        lifecycle: ClientLifecycleMode::Initialize,
        offers: revision.clone(),
        is_newest: revision == ProtocolVersion::V_2025_11_25,
        revision,
    });
    let auto =
        ClientLifecycleMode::Auto { preferred_versions: newest(), legacy_version: Some(ProtocolVersion::V_2025_11_25) };
    let (discover, latest) =
        (ClientLifecycleMode::Discover { preferred_versions: newest() }, ProtocolVersion::V_2026_07_28);
    let without = [("discover", discover), ("auto", auto)];
    let without = without.map(|(name, lifecycle)| Way {
        name,
        lifecycle,
        offers: latest.clone(),
        revision: latest.clone(),
        is_newest: name == "discover",
    });
    shaking_hands.into_iter().chain(without).collect()
}

async fn visit(site: &Site, key: Option<&str>, way: &Way, extent: Extent) -> Result<String, Findings> {
    let mut transport = StreamableHttpClientTransportConfig::with_uri(format!("{}/mcp", site.url));
    if let Some(key) = key {
        transport = transport.auth_header(key);
    }
    let client = ClientConfig::new(rmcp::model::ClientCapabilities::default(), Implementation::new("tests", "1"))
        .with_protocol_version(way.offers.clone());
    let transport = StreamableHttpClientTransport::from_config(transport);
    let client = client.serve_with_lifecycle(transport, way.lifecycle.clone()).await?;
    let spoken = client.peer_info().map(|peer| peer.protocol_version.clone());
    if spoken.as_ref() != Some(&way.revision) {
        return Err(format!("the revision is {spoken:?}, not {}", way.revision).into());
    }
    let seen = visit::visit(&client, site, extent).await;
    client.cancel().await?;
    seen
}

/// Reads both metadata documents, as a refused client does.
async fn discover(site: &Site) -> Result<String, Findings> {
    let found = AuthorizationManager::new(format!("{}/mcp", site.url)).await?.resolve_metadata().await?;
    let (metadata, url) = (found.metadata, &site.url);
    let read = (found.source, metadata.issuer.as_deref(), metadata.token_endpoint.strip_prefix(url.as_str()));
    let expected = (AuthorizationMetadataSource::ProtectedResourceMetadata, Some(url.as_str()), Some("/oauth2/token"));
    if read == expected { Ok("both documents".to_owned()) } else { Err(format!("{read:?}").into()) }
}

/// Prints the result of a task, and returns whether it succeeded.
async fn judged(name: &str, task: impl Future<Output = Result<String, Findings>>) -> bool {
    match tokio::time::timeout(LONGEST, task).await {
        Ok(Ok(seen)) => {
            println!("ok    {name}: {seen}");
            return true;
        }
        Ok(Err(finding)) => println!("FAIL  {name}: {finding}"),
        Err(_) => println!("FAIL  {name}: no end after {} s", LONGEST.as_secs()),
    }
    false
}

async fn judge(site: &Site, key: Option<&str>) -> bool {
    let mut passed = judged("rmcp, access", discover(site)).await;
    for way in ways() {
        let extent = match (key, way.is_newest) {
            (None, false) => continue,
            (None, true) => Extent::Tools,
            (Some(_), false) => Extent::SomePages,
            (Some(_), true) => Extent::AllPages,
        };
        let name = format!("rmcp, {}", way.name);
        passed &= judged(&name, visit(site, None, &way, extent)).await;
        if key.is_some() {
            let name = format!("{name}, with the published key");
            passed &= judged(&name, visit(site, key, &way, Extent::SomePages)).await;
        }
    }
    passed
}

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let Some(url) = arguments.next() else {
        eprintln!("usage: mcp-client URL [KEY]");
        return ExitCode::from(2);
    };
    let key = arguments.next();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let passed = runtime.map(|runtime| runtime.block_on(judge(&Site::new(&url), key.as_deref())));
    match passed {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

//! The official Rust server on axum with the content of a build, for comparison with the product's endpoint.
//!
//! `mcp-server DIST PORT`. Every result is prepared as an object of the SDK and cloned for each request, which is the
//! least that the SDK requires; searches use the product's index. One thread, no sessions, answers in JSON.

mod content;

use std::{env, process::ExitCode, sync::Arc};

use axum::Router;
use content::Content;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};

#[derive(Clone)]
struct Server(Arc<Content>);

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.0.about.clone()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(self.0.tools.clone())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(self.0.resources.clone())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.0.texts.get(&request.uri).cloned();
        Ok(read.ok_or_else(|| ErrorData::resource_not_found("there is no such resource", None))?.into())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let result = self.0.call(&request.name, &arguments);
        Ok(result.ok_or_else(|| ErrorData::invalid_params("there is no such tool or page", None))?.into())
    }
}

async fn serve(content: Content, port: u16) -> std::io::Result<()> {
    let server = Server(Arc::new(content));
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
    let service =
        StreamableHttpService::new(move || Ok(server.clone()), Arc::new(NeverSessionManager::default()), config);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    axum::serve(listener, Router::new().nest_service("/mcp", service)).await
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [dist, port] = &arguments[..] else {
        eprintln!("usage: mcp-server DIST PORT");
        return ExitCode::from(2);
    };
    let served = Content::read(dist.as_ref()).and_then(|content| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(runtime.block_on(serve(content, port.parse()?))?)
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

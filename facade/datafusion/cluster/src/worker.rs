//! A worker: decodes parts of plans and runs them; and connections that notice a worker which does
//! not answer.
//!
//! The connection to a process that ends is closed by its operating system. A machine that loses
//! power or its network closes nothing, so idle connections are tested every few seconds.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion_distributed::grpc::{BoxCloneSyncChannel, create_worker_client};
use datafusion_distributed::{
    ChannelResolver, DistributedExt, Worker, WorkerChannel, WorkerQueryContext,
};
use hexphase_datafusion::exec::OverlapsCodec;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Endpoint, Error, Server};
use url::Url;

/// A connection is tested after this time without messages, and fails if there is no answer for as
/// long again.
const TEST_AFTER: Duration = Duration::from_secs(5);

/// The connections of a process, one to each worker.
#[derive(Clone, Default)]
pub(crate) struct Channels {
    open: Arc<Mutex<HashMap<Url, BoxCloneSyncChannel>>>,
}

#[async_trait]
impl ChannelResolver for Channels {
    async fn get_worker_client_for_url(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        let lock = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let open = lock().get(url).cloned();
        if let Some(channel) = open {
            return Ok(create_worker_client(channel));
        }
        let failed = |error: Error| {
            let error = DataFusionError::External(error.into());
            error.context(format!("the worker {url} cannot be reached"))
        };
        let endpoint = Endpoint::from_shared(url.to_string()).map_err(failed)?;
        let endpoint = endpoint
            .connect_timeout(TEST_AFTER)
            .http2_keep_alive_interval(TEST_AFTER)
            .keep_alive_timeout(TEST_AFTER)
            .keep_alive_while_idle(true);
        let channel = BoxCloneSyncChannel::new(endpoint.connect().await.map_err(failed)?);
        lock().insert(url.clone(), channel.clone());
        Ok(create_worker_client(channel))
    }
}

/// Serves queries; prints the address when it listens.
pub(crate) async fn serve(listen: SocketAddr, memory: Option<usize>) -> Result<()> {
    let mut runtime = RuntimeEnvBuilder::new();
    if let Some(bytes) = memory {
        runtime = runtime.with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
    }
    let channels = Channels::default();
    let worker = Worker::from_session_builder(move |context: WorkerQueryContext| {
        let channels = channels.clone();
        async move {
            let builder = context.builder.with_distributed_user_codec(OverlapsCodec);
            Ok(builder.with_distributed_channel_resolver(channels).build())
        }
    })
    .with_runtime_env(runtime.build_arc()?);
    let listener = tokio::net::TcpListener::bind(listen).await?;
    println!("http://{}", listener.local_addr()?);
    let server = Server::builder().add_service(worker.into_worker_server());
    let served = server.serve_with_incoming(TcpIncoming::from(listener)).await;
    served.map_err(|error| DataFusionError::External(error.into()))
}

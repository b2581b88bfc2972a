//! A worker: decodes parts of plans and runs them.

use std::net::SocketAddr;
use std::sync::Arc;

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion_distributed::{DistributedExt, Worker, WorkerQueryContext};
use hexphase_datafusion::exec::OverlapsCodec;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use crate::channels::Channels;

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

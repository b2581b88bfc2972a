//! Connections to workers that notice a worker which does not answer.
//!
//! The connection to a process that ends is closed by its operating system. A machine that loses
//! power or its network closes nothing, so idle connections are tested every few seconds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use datafusion::error::{DataFusionError, Result};
use datafusion_distributed::grpc::{BoxCloneSyncChannel, create_worker_client};
use datafusion_distributed::{ChannelResolver, WorkerChannel};
use tonic::transport::Endpoint;
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
        let channel = match open {
            Some(channel) => channel,
            None => {
                let failed = |error: tonic::transport::Error| {
                    let error = DataFusionError::External(error.into());
                    error.context(format!("the worker {url} cannot be reached"))
                };
                let endpoint = Endpoint::from_shared(url.to_string()).map_err(failed)?;
                let endpoint = endpoint
                    .connect_timeout(TEST_AFTER)
                    .http2_keep_alive_interval(TEST_AFTER)
                    .keep_alive_timeout(TEST_AFTER)
                    .keep_alive_while_idle(true);
                let channel = endpoint.connect().await.map_err(failed)?;
                let channel = BoxCloneSyncChannel::new(channel);
                lock().insert(url.clone(), channel.clone());
                channel
            }
        };
        Ok(create_worker_client(channel))
    }
}

//! Deletes instances that have ended.

use everturn_history::InstanceId;
use everturn_runtime::RequestError;
use everturn_store::{Filter, StoreError};
use tonic::Status;

use super::Hub;
use super::list::{Statuses, created_between};
use crate::protocol::{PurgeInstanceFilter, PurgeInstancesRequest, PurgeInstancesResponse, PurgeTarget};
use crate::status;

impl Hub {
    /// Deletes what is named, and says how many that were. What is not there, or has not ended, is not counted.
    pub(super) async fn purge(&self, request: PurgeInstancesRequest) -> Result<PurgeInstancesResponse, Status> {
        let PurgeInstancesRequest { fields, force, batch } = request;
        let mut count = 0;
        match (fields.target, batch) {
            (Some(PurgeTarget::InstanceId(id)), _) => count += self.purge_one(id, fields.recursive, force).await?,
            (Some(PurgeTarget::Filter(filter)), _) => count += self.purge_matching(filter).await?,
            (None, Some(batch)) => {
                for id in batch.instance_ids {
                    count += self.purge_one(id, fields.recursive, force).await?;
                }
            }
            (None, None) => {
                return Err(Status::invalid_argument("nothing says what to delete; give an id, ids or a filter"));
            }
        }
        Ok(PurgeInstancesResponse {
            deleted_instance_count: i32::try_from(count).unwrap_or(i32::MAX),
            is_complete: Some(pbjson_types::BoolValue { value: true }),
        })
    }

    async fn purge_one(&self, id: String, recursive: bool, force: bool) -> Result<u64, Status> {
        match self.runtime.purge(&InstanceId::from(id), recursive, force).await {
            Ok(count) => Ok(count),
            Err(RequestError::Store(StoreError::NotFound { .. } | StoreError::Open { .. })) => Ok(0),
            Err(error) => Err(status::refusal(&error)),
        }
    }

    async fn purge_matching(&self, filter: PurgeInstanceFilter) -> Result<u64, Status> {
        let Statuses::Of(mut statuses) = Statuses::read(self.dialect, &filter.runtime_status)? else { return Ok(0) };
        let is_any = statuses.is_empty();
        statuses.retain(|status| status.is_ended());
        if statuses.is_empty() && !is_any {
            return Ok(0);
        }
        let filter = Filter { statuses, ..created_between(filter.created_time_from, filter.created_time_to)? };
        self.runtime.purge_matching(filter).await.map_err(|error| status::refusal(&error))
    }
}

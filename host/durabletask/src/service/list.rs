//! Many instances, page by page.

use everturn_history::{OrchestrationStatus, Timestamp, text};
use everturn_store::{Filter, InstanceKey, Page, Status as Stands, Time};
use prost::Message as _;
use tonic::Status;

use super::Hub;
use crate::protocol::{
    InstanceQuery, ListInstanceIDsRequest, ListInstanceIDsResponse, ListInstanceIdsRequest, ListInstanceIdsResponse,
    QueryInstancesResponse,
};
use crate::wire::read_time;
use crate::{Dialect, status};

/// Which statuses are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statuses {
    /// One of these. Empty: any.
    Of(Vec<Stands>),
    /// Only such as no instance ever has.
    Nobodys,
}

impl Statuses {
    pub(super) fn read(dialect: Dialect, numbers: &[i32]) -> Result<Self, Status> {
        let mut statuses = Vec::new();
        for number in numbers {
            let known = OrchestrationStatus::try_from(*number)
                .map_err(|_| Status::invalid_argument(format!("{number} is no status that is known here")))?;
            statuses.extend(Stands::from_protocol(known));
            if known == OrchestrationStatus::Running && dialect == Dialect::Microsoft {
                // Microsoft's clients see those that are stalled as running.
                statuses.push(Stands::Stalled);
            }
        }
        let is_nobodys = statuses.is_empty() && !numbers.is_empty();
        Ok(if is_nobodys { Self::Nobodys } else { Self::Of(statuses) })
    }
}

/// Those that were made in this time.
pub(super) fn created_between(from: Option<Timestamp>, before: Option<Timestamp>) -> Result<Filter, Status> {
    Ok(Filter { created_from: moment(from)?, created_before: moment(before)?, ..Filter::default() })
}

fn moment(at: Option<Timestamp>) -> Result<Option<Time>, Status> {
    at.map(read_time).transpose().map_err(status::no_moment)
}

/// Where the next page begins, for a client to hand back. Its form means nothing to clients.
fn write_place(from: InstanceKey) -> String {
    format!("{:016x}", from.0)
}

fn read_place(token: Option<&str>) -> Result<Option<InstanceKey>, Status> {
    let Some(token) = token.filter(|token| !token.is_empty()) else { return Ok(None) };
    let is_place = token.len() == 16 && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    let key = i64::from_str_radix(token, 16).ok().filter(|_| is_place);
    let wrong = || Status::invalid_argument("this leads to no page; give what came with the last one, or none");
    key.map(|key| Some(InstanceKey(key))).ok_or_else(wrong)
}

fn ids(page: &Page) -> Vec<String> {
    page.instances.iter().map(|instance| instance.id.to_string()).collect()
}

impl Hub {
    /// Instances by filter, newest first.
    pub(super) async fn query(&self, query: InstanceQuery) -> Result<QueryInstancesResponse, Status> {
        let Statuses::Of(statuses) = Statuses::read(self.dialect, &query.runtime_status)? else {
            return Ok(QueryInstancesResponse::default());
        };
        let filter = Filter {
            statuses,
            id_prefix: query.instance_id_prefix.map(|prefix| prefix.value).filter(|prefix| !prefix.is_empty()),
            ..created_between(query.created_time_from, query.created_time_to)?
        };
        let from = read_place(query.continuation_token.as_ref().map(|token| token.value.as_str()))?;
        let page = self.page(filter, from, i64::from(query.max_instance_count)).await?;
        let (mut states, mut next, mut size) = (Vec::new(), page.next, 0);
        for instance in page.instances {
            let key = instance.key;
            let state = self.state(instance, query.fetch_inputs_and_outputs).await?;
            size += state.encoded_len();
            if size > self.limits.outbound_message && !states.is_empty() {
                // The page is full before its number is reached: the next one begins here.
                next = Some(key);
                break;
            }
            states.push(state);
        }
        Ok(QueryInstancesResponse {
            orchestration_state: states,
            continuation_token: next.map(|next| text(write_place(next))),
        })
    }

    /// The ids of all instances, newest first.
    pub(super) async fn list_all(&self, request: ListInstanceIDsRequest) -> Result<ListInstanceIDsResponse, Status> {
        let from = read_place(request.continuation_token.as_deref())?;
        let page = self.page(Filter::default(), from, request.page_size.unwrap_or(0).into()).await?;
        Ok(ListInstanceIDsResponse { instance_ids: ids(&page), continuation_token: page.next.map(write_place) })
    }

    /// The ids of instances that have ended in some time.
    pub(super) async fn list_ended(&self, request: ListInstanceIdsRequest) -> Result<ListInstanceIdsResponse, Status> {
        let Statuses::Of(mut statuses) = Statuses::read(self.dialect, &request.runtime_status)? else {
            return Ok(ListInstanceIdsResponse::default());
        };
        if statuses.is_empty() {
            statuses = Stands::ALL.to_vec();
        }
        statuses.retain(|status| status.is_ended());
        if statuses.is_empty() {
            return Ok(ListInstanceIdsResponse::default());
        }
        let filter = Filter {
            statuses,
            ended_from: moment(request.completed_time_from)?,
            ended_before: moment(request.completed_time_to)?,
            ..Filter::default()
        };
        let from = read_place(request.last_instance_key.as_ref().map(|key| key.value.as_str()))?;
        let page = self.page(filter, from, request.page_size.into()).await?;
        Ok(ListInstanceIdsResponse {
            instance_ids: ids(&page),
            last_instance_key: page.next.map(|next| text(write_place(next))),
        })
    }

    async fn page(&self, filter: Filter, from: Option<InstanceKey>, wanted: i64) -> Result<Page, Status> {
        let limit = usize::try_from(wanted).ok().filter(|wanted| *wanted > 0).unwrap_or(usize::MAX);
        let page = self.runtime.list(filter, from, limit.min(self.limits.page)).await;
        page.map_err(|error| status::refusal(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_those_that_clients_see() {
        let read = |dialect, numbers: &[i32]| Statuses::read(dialect, numbers).unwrap();
        assert_eq!(read(Dialect::Dapr, &[]), Statuses::Of(vec![]));
        assert_eq!(read(Dialect::Dapr, &[0, 1]), Statuses::Of(vec![Stands::Running, Stands::Completed]));
        assert_eq!(read(Dialect::Microsoft, &[0]), Statuses::Of(vec![Stands::Running, Stands::Stalled]));
        assert_eq!(read(Dialect::Dapr, &[2, 4]), Statuses::Nobodys);
        assert!(Statuses::read(Dialect::Dapr, &[99]).is_err());
    }

    #[test]
    fn a_page_token_leads_back_and_nothing_else_does() {
        for key in [0, 1, i64::MAX] {
            assert_eq!(read_place(Some(&write_place(InstanceKey(key)))).unwrap(), Some(InstanceKey(key)));
        }
        assert_eq!(read_place(None).unwrap(), None);
        assert_eq!(read_place(Some("")).unwrap(), None);
        for token in ["1", "000000000000000g", "+000000000000001", "ffffffffffffffff"] {
            assert!(read_place(Some(token)).is_err(), "{token}");
        }
    }
}

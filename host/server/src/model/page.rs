//! Pages of a list, and the tokens that lead from one to the next.

use everturn_store::InstanceKey;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Instance;

/// One page of a list of instances, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Page {
    /// What is on it.
    pub instances: Vec<Instance>,
    /// Leads to the next page, with the same filters. Absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Text that leads to no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no page token; give the `next` of the last page, or none for the first page")]
pub struct InvalidPageToken;

/// Where the next page begins, for a client to hand back. Its form means nothing to clients.
pub fn page_token(from: InstanceKey) -> String {
    format!("{:016x}", from.0)
}

/// Where a page begins.
pub fn read_page_token(token: &str) -> Result<InstanceKey, InvalidPageToken> {
    let is_token = token.len() == 16 && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    let key = i64::from_str_radix(token, 16).ok().filter(|_| is_token);
    key.map(InstanceKey).ok_or(InvalidPageToken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_leads_back_and_nothing_else_does() {
        for key in [0, 1, i64::MAX] {
            assert_eq!(read_page_token(&page_token(InstanceKey(key))), Ok(InstanceKey(key)));
        }
        for token in ["", "1", "000000000000000g", "+000000000000001", "ffffffffffffffff"] {
            assert_eq!(read_page_token(token), Err(InvalidPageToken), "{token}");
        }
    }
}

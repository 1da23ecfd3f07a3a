//! Tokens as text: 32 hexadecimal digits.

use everturn_store::Token;

/// Text that is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no completion token of this host; send back the one that came with the work item")]
pub(crate) struct MalformedToken;

pub(crate) fn write_token(token: Token) -> String {
    token.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn read_token(text: &str) -> Result<Token, MalformedToken> {
    let is_token = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u128::from_str_radix(text, 16).ok().filter(|_| is_token);
    number.map(|number| Token(number.to_be_bytes())).ok_or(MalformedToken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_again_and_nothing_else_is() {
        let token = Token([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
        assert_eq!(write_token(token), "000102030405060708090a0b0c0d0eff");
        assert_eq!(read_token(&write_token(token)), Ok(token));
        let long = "0".repeat(33);
        for text in ["", "1", "+00102030405060708090a0b0c0d0eff", "000102030405060708090a0b0c0d0efg", &long] {
            assert_eq!(read_token(text), Err(MalformedToken), "{text}");
        }
    }
}

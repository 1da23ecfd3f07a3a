//! What workflows, activities and handlers are called, and what is said of them.

use proc_macro2::TokenStream;
use syn::parse::Parser;
use syn::{Attribute, Error, Expr, ExprLit, Ident, Lit, LitStr, Meta, Result};

/// The longest name that the contract allows, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// What an attribute says in `name = "..."`, or nothing. `one` is what it makes, as a sentence begins with it.
pub(crate) fn given(attribute: &str, one: &str, arguments: TokenStream) -> Result<Option<LitStr>> {
    let mut name = None;
    let parser = syn::meta::parser(|meta| {
        if !meta.path.is_ident("name") {
            return Err(meta.error(format!("`#[{attribute}]` knows only `name = \"...\"`")));
        }
        let literal: LitStr = meta.value()?.parse()?;
        if !(1..=MAX_NAME_BYTES).contains(&literal.value().len()) {
            let message = format!("the name of {one} has 1 to {MAX_NAME_BYTES} bytes");
            return Err(Error::new(literal.span(), message));
        }
        name = Some(literal);
        Ok(())
    });
    parser.parse2(arguments)?;
    Ok(name)
}

/// The name of a function as callers spell it: without the `r#` that a keyword needs.
pub(crate) fn own(function: &Ident) -> LitStr {
    let name = function.to_string();
    LitStr::new(name.strip_prefix("r#").unwrap_or(&name), function.span())
}

/// The name of a struct in the way of functions: `OrderToShip` is `order_to_ship`, and `SLAWatch` is `sla_watch`.
pub(crate) fn in_snake_case(name: &Ident) -> LitStr {
    let text = name.to_string();
    let characters: Vec<char> = text.strip_prefix("r#").unwrap_or(&text).chars().collect();
    let mut snake = String::new();
    for (place, character) in characters.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| characters.get(before));
        let after = characters.get(place + 1);
        let begins_word = character.is_uppercase()
            && before.is_some_and(|before| *before != '_')
            && (before.is_some_and(|before| !before.is_uppercase()) || after.is_some_and(|after| after.is_lowercase()));
        if begins_word {
            snake.push('_');
        }
        snake.extend(character.to_lowercase());
    }
    LitStr::new(&snake, name.span())
}

/// The first paragraph of the documentation, on one line.
pub(crate) fn summary(attributes: &[Attribute]) -> String {
    let lines: Vec<_> = attributes.iter().filter_map(doc_line).collect();
    let text = lines.join("\n");
    let lines = text.lines().map(str::trim).skip_while(|line| line.is_empty());
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;

    #[test]
    fn structs_are_named_like_functions() {
        for (name, snake) in [
            ("Approval", "approval"),
            ("OrderToShip", "order_to_ship"),
            ("SLAWatch", "sla_watch"),
            ("Level2Support", "level2_support"),
            ("Two_Words", "two_words"),
            ("r#Loop", "loop"),
        ] {
            let name = match name.strip_prefix("r#") {
                Some(raw) => Ident::new_raw(raw, Span::call_site()),
                None => Ident::new(name, Span::call_site()),
            };
            assert_eq!(in_snake_case(&name).value(), snake, "{name}");
        }
    }
}

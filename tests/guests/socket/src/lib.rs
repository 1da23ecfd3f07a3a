//! A workflow that opens a socket. It is a component of its own because of what it imports: a host must refuse to load
//! it.

use std::io::Write;
use std::net::TcpStream;

use everturn_sdk::prelude::*;

/// Connects to the host's own machine and says hello.
#[workflow]
async fn opens_a_socket(_ctx: Ctx) -> Result<()> {
    let mut stream = TcpStream::connect(("127.0.0.1", 9))?;
    stream.write_all(b"hello")?;
    Ok(())
}

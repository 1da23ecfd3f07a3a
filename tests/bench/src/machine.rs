//! The machine: what a reader has to know before any figure means something. What the system does not tell is "unknown".

use std::fs;
use std::path::Path;

use serde::Serialize;

/// What does not tell.
const UNKNOWN: &str = "unknown";

/// The machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Machine {
    pub(crate) cores: usize,
    pub(crate) processor: String,
    /// In bytes.
    pub(crate) memory: Option<u64>,
    pub(crate) kernel: String,
    /// Of the directory that is measured in.
    pub(crate) file_system: String,
}

impl Machine {
    /// This one, and the file system of this directory.
    pub(crate) fn here(directory: &Path) -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let unless_empty = |text: String| if text.is_empty() { UNKNOWN.to_owned() } else { text };
        let release = read("/proc/sys/kernel/osrelease");
        let kernel = format!("{} {}", std::env::consts::OS, unless_empty(release.trim().to_owned()));
        let processor =
            field(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        let memory = field(&read("/proc/meminfo"), "MemTotal").and_then(|text| kibibytes(&text));
        let mounts = read("/proc/self/mounts");
        let file_system = directory.canonicalize().ok().and_then(|directory| file_system(&mounts, &directory));
        Self {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            processor,
            memory,
            kernel,
            file_system: file_system.unwrap_or_else(|| UNKNOWN.to_owned()),
        }
    }

    /// Whether what is written there is in memory only.
    pub(crate) fn forgets(&self) -> bool {
        matches!(self.file_system.as_str(), "tmpfs" | "ramfs")
    }
}

/// What follows a name and a colon, on the first line that has it.
pub(crate) fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.split(':').next().is_some_and(|start| start.trim() == name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// From the way the kernel writes sizes, in bytes.
pub(crate) fn kibibytes(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse::<u64>().ok().map(|size| size * 1024)
}

/// The kind of the file system whose mount point is nearest.
fn file_system(mounts: &str, directory: &Path) -> Option<String> {
    let mounts = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').skip(1);
        Some((words.next()?, words.next()?))
    });
    let around = mounts.filter(|(point, _)| directory.starts_with(point));
    // Of two on one point, the later one hides the other.
    around.max_by_key(|(point, _)| point.len()).map(|(_, kind)| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mount_point_tells_the_file_system() {
        let mounts = "/dev/a / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n/dev/b /tmp/data xfs rw 0 0\n";
        let of = |path: &str| file_system(mounts, Path::new(path)).unwrap();
        assert_eq!([of("/srv"), of("/tmp/x"), of("/tmp/data/x"), of("/tmpx")], ["ext4", "tmpfs", "xfs", "ext4"]);
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "model\t\t: 7\nmodel name\t: A processor\nMemTotal:       24684004 kB\n";
        assert_eq!(field(text, "model name").as_deref(), Some("A processor"));
        assert_eq!(field(text, "MemTotal").and_then(|size| kibibytes(&size)), Some(24_684_004 * 1024));
        assert_eq!(field(text, "MemFree"), None);
    }
}

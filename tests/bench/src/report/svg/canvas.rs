//! What a picture is made of. Places are in pixels from the upper left corner.

/// How wide every picture is.
pub(super) const WIDTH: f64 = 760.0;

/// Colours by what they are for, on light pages and on dark ones. Both have enough contrast to be read.
const STYLE: &str = "<style>
svg { font: 13px system-ui, sans-serif; color-scheme: light dark }
text { fill: #24292f } .quiet { fill: #57606a } .title { font-weight: 600; font-size: 15px }
.grid { stroke: #d0d7de; stroke-width: 1 }
.fill0 { fill: #0969da } .fill1 { fill: #bc4c00 } .fill2 { fill: #1a7f37 }
.line0 { stroke: #0969da } .line1 { stroke: #bc4c00 } .line2 { stroke: #1a7f37 }
polyline { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .quiet { fill: #9da7b1 } .grid { stroke: #3d444d }
.fill0 { fill: #58a6ff } .fill1 { fill: #f0883e } .fill2 { fill: #3fb950 }
.line0 { stroke: #58a6ff } .line1 { stroke: #f0883e } .line2 { stroke: #3fb950 }
}
</style>
";
/// How many colours there are; more series begin anew.
const COLOURS: usize = 3;

/// Where a text ends or begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture in the making.
#[derive(Debug)]
pub(super) struct Canvas {
    height: f64,
    content: String,
}

impl Canvas {
    /// With a title over it.
    pub(super) fn new(title: &str, height: f64) -> Self {
        let content = format!(r#"<text class="title" x="16" y="26">{}</text>"#, escaped(title)) + "\n";
        Self { height, content }
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        self.add(&format!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#));
    }

    pub(super) fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), colour: usize) {
        let colour = colour % COLOURS;
        self.add(&format!(
            r#"<rect class="fill{colour}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#
        ));
    }

    pub(super) fn grid_line(&mut self, (from_x, from_y): (f64, f64), (to_x, to_y): (f64, f64)) {
        self.add(&format!(r#"<line class="grid" x1="{from_x:.1}" y1="{from_y:.1}" x2="{to_x:.1}" y2="{to_y:.1}"/>"#));
    }

    pub(super) fn line(&mut self, points: &[(f64, f64)], colour: usize) {
        let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.add(&format!(r#"<polyline class="line{}" points="{}"/>"#, colour % COLOURS, points.join(" ")));
    }

    fn add(&mut self, element: &str) {
        self.content.push_str(element);
        self.content.push('\n');
    }

    /// The text of the file.
    pub(super) fn finish(self) -> String {
        let Self { height, content } = self;
        let size = format!(r#"width="{WIDTH:.0}" height="{height:.0}" viewBox="0 0 {WIDTH:.0} {height:.0}""#);
        let head = format!(r#"<svg xmlns="http://www.w3.org/2000/svg" {size}>"#);
        format!("{head}\n{STYLE}{content}</svg>\n")
    }
}

fn escaped(text: &str) -> String {
    text.trim().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

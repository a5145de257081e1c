//! Tables, each in a frame that scrolls if the window is narrow.

use pulldown_cmark::Alignment;

use super::HtmlWriter;

#[derive(Debug, Default)]
pub(super) struct OpenTable {
    /// Tables so far, this one included.
    count: u32,
    alignments: Vec<Alignment>,
    column: usize,
    in_head: bool,
    /// The head of the first column is empty, so each cell of that column names its row.
    names_rows: bool,
    has_body: bool,
    /// Where the open cell begins, and where its contents begin.
    pub(super) cell: Option<(usize, usize)>,
}

impl HtmlWriter<'_> {
    /// Opens a table. Its scrolling frame is reachable by keyboard and has a name.
    pub(super) fn open_table(&mut self, alignments: Vec<Alignment>) {
        let count = self.tables.count + 1;
        self.tables = OpenTable { count, alignments, ..OpenTable::default() };
        let name = self.phrases.table.replace("{}", &count.to_string());
        self.out.push_str("<section class=\"table\" tabindex=\"0\" aria-label=\"");
        self.out.push_str(&name);
        self.out.push_str("\"><table>\n");
    }

    pub(super) fn close_table(&mut self) {
        self.out.push_str(if self.tables.has_body { "</tbody>\n</table></section>\n" } else { "</table></section>\n" });
    }

    pub(super) fn open_head(&mut self) {
        self.tables.in_head = true;
        self.tables.column = 0;
        self.out.push_str("<thead>\n<tr>");
    }

    pub(super) fn close_head(&mut self) {
        self.tables.in_head = false;
        self.out.push_str("</tr>\n</thead>\n");
    }

    pub(super) fn open_row(&mut self) {
        self.tables.column = 0;
        self.out.push_str(if self.tables.has_body { "<tr>" } else { "<tbody>\n<tr>" });
        self.tables.has_body = true;
    }

    /// Opens a cell. Its alignment is a class, because the pages' policy forbids styles in attributes.
    pub(super) fn open_cell(&mut self) {
        let start = self.out.len();
        self.out.push_str(match (self.tables.in_head, self.tables.is_row_head()) {
            (true, _) => "<th scope=\"col\"",
            (false, true) => "<th scope=\"row\"",
            (false, false) => "<td",
        });
        self.out.push_str(match self.tables.alignments.get(self.tables.column) {
            Some(Alignment::Center) => " class=\"center\">",
            Some(Alignment::Right) => " class=\"right\">",
            _ => ">",
        });
        self.tables.cell = Some((start, self.out.len()));
    }

    /// Closes a cell. An empty cell above a column or before a row names nothing, so it is not a header.
    pub(super) fn close_cell(&mut self) {
        let (start, contents) = self.tables.cell.take().unwrap_or_default();
        let is_first = self.tables.column == 0;
        let is_head = self.tables.in_head || self.tables.is_row_head();
        self.tables.column += 1;
        if !is_head {
            self.out.push_str("</td>");
        } else if self.out.len() == contents {
            self.tables.names_rows |= self.tables.in_head && is_first;
            self.out.truncate(start);
            self.out.push_str("<td></td>");
        } else {
            self.out.push_str("</th>");
        }
    }
}

impl OpenTable {
    /// Returns whether the open cell is in a row below the head and names that row (WCAG 2.2, 1.3.1).
    fn is_row_head(&self) -> bool {
        self.names_rows && !self.in_head && self.column == 0
    }
}

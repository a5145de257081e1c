//! The text format of Prometheus, version 0.0.4.

use std::{
    fmt::{Display, Write as _},
    sync::atomic::Ordering,
};

use super::Histogram;

/// A text in the format of Prometheus.
#[derive(Debug, Default)]
pub struct MetricsText(String);

/// The unit of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Observed in nanoseconds, exposed in seconds.
    Seconds,
    Bytes,
}

impl Unit {
    #[expect(clippy::cast_precision_loss, reason = "a sum that is off by a nanosecond in months is still right")]
    fn scale(self, value: u64) -> f64 {
        match self {
            Self::Seconds => value as f64 / 1e9,
            Self::Bytes => value as f64,
        }
    }
}

/// Returns `name="value"`, escaped.
pub fn label(name: &str, value: &str) -> String {
    format!("{name}=\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

impl MetricsText {
    /// Writes counters with one name. A row is its labels, separated by commas, and its value.
    pub fn counters<V: Display>(&mut self, name: &str, help: &str, rows: impl IntoIterator<Item = (String, V)>) {
        self.family(name, "counter", help, rows);
    }

    pub fn gauges<V: Display>(&mut self, name: &str, help: &str, rows: impl IntoIterator<Item = (String, V)>) {
        self.family(name, "gauge", help, rows);
    }

    fn family<V: Display>(&mut self, name: &str, form: &str, help: &str, rows: impl IntoIterator<Item = (String, V)>) {
        self.head(name, form, help);
        for (labels, value) in rows {
            self.row(name, &labels, value);
        }
    }

    /// Writes histograms with one name; a row is its labels and the histograms that are summed.
    pub fn histograms<'a, const N: usize, H: IntoIterator<Item = &'a Histogram<N>>>(
        &mut self,
        name: &str,
        help: &str,
        unit: Unit,
        rows: impl IntoIterator<Item = (String, H)>,
    ) {
        self.head(name, "histogram", help);
        for (labels, histograms) in rows {
            let (mut bounds, mut counts, mut above, mut sum) = (None, [0; N], 0, 0);
            for histogram in histograms {
                bounds = Some(histogram.bounds);
                for (total, count) in counts.iter_mut().zip(&histogram.counts) {
                    *total += count.load(Ordering::Relaxed);
                }
                above += histogram.above.load(Ordering::Relaxed);
                sum += histogram.sum.load(Ordering::Relaxed);
            }
            let mut total: u64 = 0;
            let comma = if labels.is_empty() { "" } else { "," };
            for (bound, count) in bounds.into_iter().flatten().zip(counts) {
                total += count;
                let bound = unit.scale(*bound);
                self.row(&format!("{name}_bucket"), &format!("{labels}{comma}le=\"{bound}\""), total);
            }
            total += above;
            self.row(&format!("{name}_bucket"), &format!("{labels}{comma}le=\"+Inf\""), total);
            self.row(&format!("{name}_sum"), &labels, unit.scale(sum));
            self.row(&format!("{name}_count"), &labels, total);
        }
    }

    fn head(&mut self, name: &str, form: &str, help: &str) {
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {form}\n");
    }

    fn row(&mut self, name: &str, labels: &str, value: impl Display) {
        let (open, close) = if labels.is_empty() { ("", "") } else { ("{", "}") };
        let _ = writeln!(self.0, "{name}{open}{labels}{close} {value}");
    }
}

impl From<MetricsText> for String {
    fn from(text: MetricsText) -> Self {
        text.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Counters;

    #[test]
    fn histogram_counts_what_is_at_most_as_large_as_each_bound() {
        let [one, other] = [(); 2].map(|()| Histogram::new(&[1_000_000, 500_000_000]));
        for value in [0, 1_000_000, 1_000_001, 750_000_000] {
            one.observe(value);
        }
        other.observe(500_000_000);
        let mut text = MetricsText::default();
        text.histograms("wait_seconds", "Waiting.", Unit::Seconds, [(label("class", "page"), [&one, &other])]);
        assert_eq!(
            String::from(text),
            "# HELP wait_seconds Waiting.\n# TYPE wait_seconds histogram\n\
             wait_seconds_bucket{class=\"page\",le=\"0.001\"} 2\n\
             wait_seconds_bucket{class=\"page\",le=\"0.5\"} 4\n\
             wait_seconds_bucket{class=\"page\",le=\"+Inf\"} 5\n\
             wait_seconds_sum{class=\"page\"} 1.252000001\n\
             wait_seconds_count{class=\"page\"} 5\n"
        );
    }

    #[test]
    fn counters_are_shown_at_zero() {
        let counters = Counters::new(["sent", "refused"]);
        counters.count("sent");
        let mut text = MetricsText::default();
        let rows = counters.rows().map(|(outcome, count)| (label("outcome", outcome), count));
        text.counters("mail_total", "Messages.", rows);
        text.gauges("open", "Open.", [(String::new(), 0.5)]);
        assert_eq!(
            String::from(text),
            "# HELP mail_total Messages.\n# TYPE mail_total counter\n\
             mail_total{outcome=\"sent\"} 1\nmail_total{outcome=\"refused\"} 0\n\
             # HELP open Open.\n# TYPE open gauge\nopen 0.5\n"
        );
    }

    #[test]
    fn value_of_a_label_cannot_end_it() {
        assert_eq!(label("issuer", "a\"} 1\n\\"), "issuer=\"a\\\"} 1\\n\\\\\"");
    }
}

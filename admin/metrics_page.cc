#include "admin/metrics_page.h"

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <limits>
#include <sstream>

namespace gatehouse::admin {

struct MetricsPage::Families {
  // The family's new sample, with its labels.
  prometheus::ClientMetric& Add(std::string_view name, std::string_view help,
                                prometheus::MetricType type,
                                const Labels& labels);
  std::vector<prometheus::MetricFamily> all;
};

prometheus::ClientMetric& MetricsPage::Families::Add(
    std::string_view name, std::string_view help, prometheus::MetricType type,
    const Labels& labels) {
  // Samples of one family come one after the other, mostly.
  auto family = all.rbegin();
  while (family != all.rend() && family->name != name) ++family;
  if (family == all.rend()) {
    all.push_back({std::string(name), std::string(help), type, {}});
    family = all.rbegin();
  }
  prometheus::ClientMetric& metric = family->metric.emplace_back();
  for (const auto& [label, value] : labels) {
    metric.label.push_back({label, value});
  }
  return metric;
}

MetricsPage::MetricsPage() : families_(std::make_unique<Families>()) {}
MetricsPage::~MetricsPage() = default;

void MetricsPage::Counter(std::string_view name, std::string_view help,
                          double value, const Labels& labels) {
  families_->Add(name, help, prometheus::MetricType::Counter, labels)
      .counter.value = value;
}

void MetricsPage::Gauge(std::string_view name, std::string_view help,
                        double value, const Labels& labels) {
  families_->Add(name, help, prometheus::MetricType::Gauge, labels)
      .gauge.value = value;
}

void MetricsPage::Histogram(std::string_view name, std::string_view help,
                            const gatehouse::Histogram& histogram,
                            const Labels& labels) {
  prometheus::ClientMetric::Histogram& out =
      families_->Add(name, help, prometheus::MetricType::Histogram, labels)
          .histogram;
  for (size_t i = 0; i < histogram.bounds().size(); ++i) {
    out.sample_count += static_cast<uint64_t>(histogram.count(i));
    out.bucket.push_back({out.sample_count, histogram.bounds()[i]});
  }
  out.sample_count +=
      static_cast<uint64_t>(histogram.count(histogram.bounds().size()));
  out.bucket.push_back(
      {out.sample_count, std::numeric_limits<double>::infinity()});
  out.sample_sum = histogram.sum();
}

std::string MetricsPage::Text() const {
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families_->all);
  return text.str();
}

}  // namespace gatehouse::admin

#ifndef GATEHOUSE_ADMIN_METRICS_PAGE_H_
#define GATEHOUSE_ADMIN_METRICS_PAGE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/base/counters.h"

namespace gatehouse::admin {

// The content type of MetricsPage::Text.
inline constexpr std::string_view kMetricsType =
    "text/plain; version=0.0.4; charset=utf-8";

// One scrape: the samples that the rooms' plain counters have now, in
// Prometheus' text format. It is made anew for each scrape, so that nothing of
// it is on the path of a call and no label outlives what it names.
//
// A family is named by its samples' common name; the help is the first one's.
// Names follow Prometheus' habits: counters end in `_total`, times are in
// seconds, sizes in bytes. Label values come from sets that the operator or
// this code bounds: never an id, nor what a client or an upstream chose.
//
// Thread-compatible.
class MetricsPage {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  MetricsPage();
  ~MetricsPage();
  MetricsPage(const MetricsPage&) = delete;
  MetricsPage& operator=(const MetricsPage&) = delete;

  // Only rises while the process lives.
  void Counter(std::string_view name, std::string_view help, double value,
               const Labels& labels = {});
  void Gauge(std::string_view name, std::string_view help, double value,
             const Labels& labels = {});
  void Histogram(std::string_view name, std::string_view help,
                 const gatehouse::Histogram& histogram,
                 const Labels& labels = {});

  std::string Text() const;

 private:
  struct Families;
  const std::unique_ptr<Families> families_;
};

}  // namespace gatehouse::admin

#endif  // GATEHOUSE_ADMIN_METRICS_PAGE_H_

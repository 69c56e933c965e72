#include "admin/metrics_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "admin/process_stats.h"
#include "shared/base/counters.h"

namespace gatehouse::admin {
namespace {

using testing::HasSubstr;

TEST(MetricsPageTest, SamplesOfOneNameAreOneFamily) {
  MetricsPage page;
  page.Counter("calls_total", "calls", 3, {{"outcome", "ok"}});
  page.Gauge("sessions", "sessions now", 7);
  page.Counter("calls_total", "calls", 1, {{"outcome", "error"}});
  EXPECT_EQ(page.Text(),
            "# HELP calls_total calls\n"
            "# TYPE calls_total counter\n"
            "calls_total{outcome=\"ok\"} 3\n"
            "calls_total{outcome=\"error\"} 1\n"
            "# HELP sessions sessions now\n"
            "# TYPE sessions gauge\n"
            "sessions 7\n");
}

TEST(MetricsPageTest, ALabelsValueIsEscaped) {
  MetricsPage page;
  page.Gauge("up", "is up", 1, {{"upstream", "a\"b\\c\nd"}});
  EXPECT_THAT(page.Text(), HasSubstr(R"(up{upstream="a\"b\\c\nd"} 1)"));
}

TEST(MetricsPageTest, AHistogramIsCumulativeAndCountsWhatIsOverAll) {
  gatehouse::Histogram histogram;
  histogram.Add(absl::Microseconds(400));
  histogram.Add(absl::Milliseconds(1));  // on a bound: counted below it
  histogram.Add(absl::Seconds(7));
  histogram.Add(absl::Hours(1));
  MetricsPage page;
  page.Histogram("call_seconds", "how long", histogram, {{"method", "x"}});
  const std::string text = page.Text();
  EXPECT_THAT(text, HasSubstr("# TYPE call_seconds histogram\n"));
  EXPECT_THAT(text, HasSubstr(R"(call_seconds_count{method="x"} 4)"));
  EXPECT_THAT(text,
              HasSubstr(R"(call_seconds_bucket{method="x",le="0.0005"} 1)"));
  EXPECT_THAT(text,
              HasSubstr(R"(call_seconds_bucket{method="x",le="0.001"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(call_seconds_bucket{method="x",le="10"} 3)"));
  EXPECT_THAT(text, HasSubstr(R"(call_seconds_bucket{method="x",le="600"} 3)"));
  EXPECT_THAT(text,
              HasSubstr(R"(call_seconds_bucket{method="x",le="+Inf"} 4)"));
  EXPECT_THAT(text, HasSubstr(R"(call_seconds_sum{method="x"} 3607.0014)"));
}

TEST(ProcessStatsTest, TheProcessIsSeen) {
  MetricsPage page;
  AddProcessStats(page);
  const std::string text = page.Text();
  for (const char* const name :
       {"process_resident_memory_bytes", "process_open_fds", "process_max_fds",
        "process_threads", "process_cpu_seconds_total"}) {
    EXPECT_THAT(text, HasSubstr(std::string("\n") + name + " ")) << text;
  }
}

}  // namespace
}  // namespace gatehouse::admin

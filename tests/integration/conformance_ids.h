#ifndef GATEHOUSE_TESTS_INTEGRATION_CONFORMANCE_IDS_H_
#define GATEHOUSE_TESTS_INTEGRATION_CONFORMANCE_IDS_H_

namespace gatehouse::testing {

// The rules of MCP that docs/conformance.md must have a row for, in its order,
// each with its strength. Written down a second time on purpose: a row that is
// deleted, weakened or added there fails until it is here as well.
inline constexpr const char* kConformanceIds[] = {
    "G-1 SHOULD",        "G-2 SHOULD",       "G-3 SHOULD",
    "G-4 SHOULD",        "G-5 SHOULD",       "G-6 SHOULD",
    "G-7 SHOULD",        "6-1 SHOULD NOT",   "6.2-1 MUST",
    "6.2-2 MAY",         "6.2-3 SHOULD NOT", "6.2-4 MAY",
    "6.2-5 MAY",         "6.2-6 REC",        "6.3-1 MUST NOT",
    "6.3-2 MUST",        "6.4-1 MUST",       "6.4-2 MUST NOT",
    "6.4-3 MUST",        "6.4-4 MUST",       "6.4-5 MUST",
    "6.4-6 MUST",        "6.4-7 MUST",       "6.4-8 SHOULD",
    "6.4-9 SHOULD",      "6.5-1 MAY",        "6.5-2 MUST",
    "6.5-3 SHOULD",      "6.5-4 SHOULD",     "6.5-5 MAY",
    "6.6-1 SHOULD",      "6.6-2 SHOULD",     "6.6-3 SHOULD",
    "6.6-4 SHOULD",      "6.6-5 SHOULD",     "6.6-6 SHOULD",
    "6.6-7 SHOULD",      "6.6-8 SHOULD",     "6.6-9 MUST",
    "6.6-10 SHOULD NOT", "6.7-1 SHOULD",     "6.7-2 SHOULD",
    "6.7-3 SHOULD",      "6.7-4 MUST NOT",   "6.7-5 MUST",
    "6.7-6 SHOULD",      "6.8-1 REC",        "6.8-2 REC",
    "6.8-3 REC",         "7.1-1 MUST",       "7.1-2 MUST",
    "7.1-3 MUST",        "7.1-4 MUST NOT",   "7.1-5 MUST",
    "7.1-6 MUST",        "7.2-1 SHOULD",     "7.3-1 MUST",
    "7.3-2 MUST",        "7.3-3 MAY",        "7.3-4 MUST",
    "7.3-5 MUST",        "7.3-6 MUST",       "7.3-7 MAY",
    "7.3-8 SHOULD",      "7.3-9 MAY",        "7.3-10 MUST NOT",
    "7.3-11 MUST",       "7.3-12 MUST NOT",  "7.4-1 SHOULD",
    "7.4-2 SHOULD",      "7.4-3 MUST",       "7.4-4 SHOULD NOT",
    "7.4-5 REC",         "7.5-1 MUST NOT",   "7.5-2 MUST",
    "7.5-3 MUST",        "7.5-4 MUST",       "7.5-5 MUST",
    "7.5-6 MUST",        "7.5-7 MUST",       "7.5-8 SHOULD",
    "7.5-9 SHOULD",      "7.5-10 MUST",      "7.5-11 MUST NOT",
    "7.5-12 MUST NOT",   "7.5-13 MUST NOT",  "7.5-14 MUST NOT",
    "7.5-15 SHOULD NOT", "7.5-16 SHOULD",    "7.5-17 MUST",
    "7.5-18 MUST NOT",   "7.5-19 MUST NOT",  "7.5-20 MUST NOT",
    "7.5-21 MUST NOT",   "7.5-22 MUST NOT",  "7.5-23 MUST",
    "7.5-24 MUST",       "7.5-25 SHOULD",    "7.5-26 SHOULD",
    "7.5-27 SHOULD NOT", "7.5-28 REC",       "7.5-29 REC",
    "7.5-30 REC",        "7.7-1 REC",        "7.7-2 REC",
    "7.7-3 REC",         "7.7-4 REC",        "8.1-1 MUST",
    "8.1-2 MUST",        "8.1-3 SHOULD",     "8.1-4 SHOULD",
    "8.1-5 MUST",        "8.1-6 MUST",       "8.1-7 MUST",
    "8.1-8 MUST",        "8.1-9 SHOULD",     "8.1-10 SHOULD",
    "8.1-11 SHOULD",     "8.1-12 SHOULD",    "12.5-1 REC",
    "12.5-2 REC",        "12.5-3 REC",       "12.5-4 REC",
    "12.5-5 REC",        "12.5-6 REC",       "12.5-7 REC",
    "12.5-8 REC",        "12.5-9 REC",       "12.5-10 REC"};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_CONFORMANCE_IDS_H_

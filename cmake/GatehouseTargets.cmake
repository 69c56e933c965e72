# What every target of Gatehouse has in common: the language, the warnings, the
# include root (the repository itself), and how a test is registered.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(GATEHOUSE_CCACHE ccache)
if(GATEHOUSE_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${GATEHOUSE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${GATEHOUSE_CCACHE})
endif()

add_library(gatehouse_warnings INTERFACE)
target_compile_options(gatehouse_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety -Werror=thread-safety>
  $<$<BOOL:${GATEHOUSE_WERROR}>:-Werror>)

# gatehouse_library(NAME SOURCES ... DEPS [PUBLIC ...] [PRIVATE ...])
# A static library `gatehouse_NAME`. Without sources it is header-only.
function(gatehouse_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  set(target gatehouse_${name})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE gatehouse_warnings)
    if(ARG_DEPS)
      target_link_libraries(${target} ${ARG_DEPS})
    endif()
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${PROJECT_SOURCE_DIR})
    if(ARG_DEPS)
      list(REMOVE_ITEM ARG_DEPS PUBLIC PRIVATE)
      target_link_libraries(${target} INTERFACE ${ARG_DEPS})
    endif()
  endif()
endfunction()

# gatehouse_program(NAME SOURCES ... DEPS ...)
# An executable `NAME` in <build>/bin. It must name one of
# gatehouse_shared_base_fault_off and gatehouse_shared_base_fault_on.
function(gatehouse_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  target_link_libraries(${name} PRIVATE gatehouse_warnings ${ARG_DEPS})
endfunction()

# gatehouse_test(NAME LABEL unit|integration|... ... [TIMEOUT s]
#                SOURCES ... DEPS ...)
# A GoogleTest program, registered with ctest as one test under its labels: the
# kind first, then subjects such as http, if there are any. It gets the fault
# points' off library unless it names the other.
function(gatehouse_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LABEL;SOURCES;DEPS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if(NOT "gatehouse_shared_base_fault_on" IN_LIST ARG_DEPS)
    list(APPEND ARG_DEPS gatehouse_shared_base_fault_off)
  endif()
  target_link_libraries(${name} PRIVATE
    gatehouse_warnings ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
    LABELS "${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT "GATEHOUSE_BIN=${PROJECT_BINARY_DIR}/bin;GATEHOUSE_SOURCE=${PROJECT_SOURCE_DIR}")
endfunction()

// The data directory is the owner's alone: keys, tokens and the store.

#include "controlplane/main/data_dir.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace gatehouse {
namespace {

class DataDirTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "data-dir-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  SeededRandom random_{1};
  std::string root_;
};

TEST_F(DataDirTest, TheSecondStartFindsTheSecretsOfTheFirst) {
  const auto first = DataDir::Open(root_, random_);
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = DataDir::Open(root_, random_);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(first->keys().opaque_id, second->keys().opaque_id);
  EXPECT_EQ(first->keys().audit_hmac, second->keys().audit_hmac);
  ASSERT_EQ(first->tokens().size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(first->tokens()[i].sha256, second->tokens()[i].sha256);
  }
}

TEST_F(DataDirTest, WhatOthersCanOpenIsRefused) {
  const auto dir = DataDir::Open(root_, random_);
  ASSERT_TRUE(dir.ok()) << dir.status();
  std::ofstream(dir->DatabasePath()) << "";
  ASSERT_EQ(chmod(dir->DatabasePath().c_str(), 0600), 0);
  ASSERT_TRUE(DataDir::Open(root_, random_).ok());
  const std::string token = dir->TokenPath(rpc::Role::kOperator);
  for (const std::string& path : {dir->DatabasePath(), token}) {
    ASSERT_EQ(chmod(path.c_str(), 0644), 0);
    const absl::Status status = DataDir::Open(root_, random_).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << path;
    ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  }
  ASSERT_EQ(chmod(root_.c_str(), 0755), 0);
  EXPECT_FALSE(DataDir::Open(root_, random_).ok());
}

}  // namespace
}  // namespace gatehouse

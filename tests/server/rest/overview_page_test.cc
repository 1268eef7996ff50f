#include "server/rest/overview_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Html(const std::vector<Profile>& profiles) {
  return std::get<std::string>(OverviewPage("default", profiles).body);
}

Profile SomeProfile(ProfileState state) {
  Profile profile;
  profile.id = "abc";
  profile.workspace = "s/g/w";
  profile.state = state;
  profile.request.name = "p1";
  profile.request.model_ids = {"m:1"};
  return profile;
}

TEST(OverviewPageTest, ShowsTheAnswer) {
  Profile profile = SomeProfile(ProfileState::kSucceeded);
  profile.recommendation.emplace();
  profile.recommendation->requested = {Cores::FromTenths(4), MiB(512)};
  profile.recommendation->verified = true;
  const std::string html = Html({profile});
  EXPECT_THAT(html, HasSubstr("<td>0.4<small>verified</small></td>"));
  EXPECT_THAT(html, HasSubstr("<td>0.5<small>verified</small></td>"));
  EXPECT_THAT(html, HasSubstr("/profiles/abc?workspace=s%2Fg%2Fw"));
}

TEST(OverviewPageTest, SaysWhyThereIsNoAnswer) {
  Profile profile = SomeProfile(ProfileState::kSucceeded);
  profile.no_answer = NoAnswer{kObjectiveNotHeld, "no limit <holds> it", {}};
  EXPECT_THAT(Html({profile}), HasSubstr("no answer: no limit &lt;holds&gt; it"));
}

TEST(OverviewPageTest, ReloadsItselfOnlyWhileSomethingRuns) {
  EXPECT_THAT(Html({SomeProfile(ProfileState::kProfiling)}), HasSubstr("http-equiv=\"refresh\""));
  EXPECT_THAT(Html({SomeProfile(ProfileState::kSucceeded)}), Not(HasSubstr("refresh")));
  EXPECT_THAT(Html({}), HasSubstr("No profiles yet"));
}

TEST(OverviewPageTest, EscapesWhateverAModelWrote) {
  Profile profile = SomeProfile(ProfileState::kFailed);
  profile.error = ProfileError{"ModelCrashed", "<script>alert('x')</script>&", {}, ""};
  const std::string html = Html({profile});
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;"));
}

TEST(OverviewPageTest, AllowsNoScriptAndNoFrame) {
  const auto policy = OverviewPage("default", {}).headers.Get("Content-Security-Policy");
  EXPECT_THAT(*policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(*policy, HasSubstr("frame-ancestors 'none'"));
}

}  // namespace
}  // namespace mlprof::server

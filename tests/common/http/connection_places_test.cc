#include "common/http/connection_places.h"

#include <gmock/gmock.h>

#include <deque>
#include <memory>

namespace mlprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Entry = ConnectionPlaces::Entry;

PeerGroup Address(std::uint64_t number) { return {PeerGroup::Kind::kIpv4, number}; }
const PeerGroup kHere{};

class ConnectionPlacesTest : public ::testing::Test {
 protected:
  ConnectionPlaces::Place& Client(int number) {
    return clients_.try_emplace(number, [this, number] { displaced_.push_back(number); })
        .first->second;
  }
  Entry Come(int number, const PeerGroup& from) { return places_.Take(Client(number), from); }
  std::vector<int> Displaced() { return std::exchange(displaced_, {}); }

  ConnectionPlaces places_{{.all = 4, .of_this_machine = 2, .of_address = 3, .refused = 2}};
  std::map<int, ConnectionPlaces::Place> clients_;
  std::vector<int> displaced_;
};

TEST_F(ConnectionPlacesTest, TheOneThatWaitedLongestMakesRoom) {
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(Come(i, Address(static_cast<std::uint64_t>(i))), Entry::kTaken);
  EXPECT_THAT(Displaced(), ElementsAre(0, 1));
  places_.Work(Client(2));
  places_.Wait(Client(2));
  EXPECT_EQ(Come(6, Address(6)), Entry::kTaken);
  EXPECT_THAT(Displaced(), ElementsAre(3));
  EXPECT_EQ(places_.count(), 4U);
}

TEST_F(ConnectionPlacesTest, WhoeverIsAtWorkStays) {
  for (int i = 0; i < 4; ++i) Come(i, Address(static_cast<std::uint64_t>(i)));
  for (const int i : {0, 1, 3}) places_.Work(Client(i));
  EXPECT_EQ(Come(4, Address(4)), Entry::kTaken);
  EXPECT_THAT(Displaced(), ElementsAre(2));
  places_.Work(Client(4));
  EXPECT_EQ(Come(5, Address(5)), Entry::kRefused);
  EXPECT_THAT(Displaced(), IsEmpty());
}

TEST_F(ConnectionPlacesTest, StrangersGoBeforeCallersWeKnow) {
  for (int i = 0; i < 4; ++i) Come(i, Address(static_cast<std::uint64_t>(i)));
  for (const int i : {0, 1}) {
    places_.Work(Client(i));
    places_.Know(Client(i));
    places_.Wait(Client(i));
  }
  for (int i = 4; i < 100; ++i) Come(i, Address(static_cast<std::uint64_t>(i)));
  EXPECT_THAT(Displaced(),
              ::testing::Not(::testing::AnyOf(::testing::Contains(0), ::testing::Contains(1))));
  for (const int i : {98, 99}) places_.Work(Client(i));
  EXPECT_EQ(Come(100, Address(100)), Entry::kTaken);
  EXPECT_THAT(Displaced(), ElementsAre(0));
}

TEST_F(ConnectionPlacesTest, AnAddressMakesRoomForItself) {
  Come(0, Address(1));
  for (int i = 1; i < 100; ++i) Come(i, Address(2));
  EXPECT_THAT(Displaced(), ::testing::Not(::testing::Contains(0)));
  for (const int i : {97, 98, 99}) places_.Work(Client(i));
  EXPECT_EQ(Come(100, Address(2)), Entry::kRefused);
  EXPECT_EQ(Come(101, Address(1)), Entry::kTaken);
  EXPECT_EQ(places_.count(), 4U + 1U - 1U);
}

TEST_F(ConnectionPlacesTest, ThisMachineHasAnAllowanceOfItsOwn) {
  for (int i = 0; i < 2; ++i) {
    Come(i, kHere);
    places_.Work(Client(i));
  }
  EXPECT_EQ(Come(2, kHere), Entry::kRefused);
  EXPECT_EQ(Come(3, Address(1)), Entry::kTaken);
}

TEST_F(ConnectionPlacesTest, OfTheRefusedTheOldestGoes) {
  for (int i = 0; i < 2; ++i) {
    Come(i, kHere);
    places_.Work(Client(i));
  }
  for (int i = 2; i < 6; ++i) EXPECT_EQ(Come(i, kHere), Entry::kRefused);
  EXPECT_THAT(Displaced(), ElementsAre(2, 3));
  places_.Wait(Client(5));  // changes nothing for who has no place
  places_.Leave(Client(4));
  EXPECT_EQ(Come(6, kHere), Entry::kRefused);
  EXPECT_THAT(Displaced(), IsEmpty());
}

TEST_F(ConnectionPlacesTest, StreamsTakeHalfOfAnAddressesPlaces) {
  ConnectionPlaces places(
      {.all = 100, .of_this_machine = 50, .of_address = 4, .streams = 50, .refused = 2});
  ConnectionPlaces::Place first(nullptr);
  ConnectionPlaces::Place second(nullptr);
  ConnectionPlaces::Place third(nullptr);
  for (auto* place : {&first, &second, &third}) {
    places.Take(*place, Address(1));
    places.Work(*place);
  }
  EXPECT_TRUE(places.Stream(first));
  EXPECT_TRUE(places.Stream(first));
  EXPECT_TRUE(places.Stream(second));
  EXPECT_FALSE(places.Stream(third));
  places.Leave(first);
  EXPECT_TRUE(places.Stream(third));
  places.Wait(second);
  ConnectionPlaces::Place fourth(nullptr);
  places.Take(fourth, Address(1));
  EXPECT_TRUE(places.Stream(fourth));
}

TEST_F(ConnectionPlacesTest, StreamsAreBoundedAllInAllAndSharedAmongGroups) {
  ConnectionPlaces places(
      {.all = 100, .of_this_machine = 50, .of_address = 50, .streams = 4, .refused = 2});
  std::deque<ConnectionPlaces::Place> clients;
  const auto streams = [&](const PeerGroup& group) {
    ConnectionPlaces::Place& place = clients.emplace_back(nullptr);
    places.Take(place, group);
    places.Work(place);
    return places.Stream(place);
  };
  EXPECT_TRUE(streams(Address(1)) && streams(Address(1)));
  EXPECT_FALSE(streams(Address(1)));
  EXPECT_TRUE(streams(Address(2)) && streams(kHere));
  EXPECT_FALSE(streams(Address(3)));
  places.Leave(clients.front());
  EXPECT_TRUE(streams(Address(3)));
}

TEST_F(ConnectionPlacesTest, APlaceThatWasLeftIsFree) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(Come(i, kHere), Entry::kTaken);
      places_.Work(Client(i));
    }
    for (int i = 0; i < 2; ++i) places_.Leave(Client(i));
    places_.Leave(Client(0));
    EXPECT_EQ(places_.count(), 0U);
  }
  EXPECT_FALSE(places_.MakeRoom());
  EXPECT_THAT(Displaced(), IsEmpty());
}

}  // namespace
}  // namespace mlprof

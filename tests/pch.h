// What nearly every test needs, compiled once beside the tests' own flags.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/pch.h"

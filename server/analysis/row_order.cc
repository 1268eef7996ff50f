#include "server/analysis/row_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <utility>

namespace mlprof::server {
namespace {

using Block = std::vector<std::uint32_t>;

// How the rows are dealt is no matter of chance: it would make heavy rows more or fewer by the
// seed.
constexpr std::uint64_t kDealing = 1;

std::size_t BlocksOf(std::size_t rows) {
  return std::max<std::size_t>(1, (rows + kBlockRows / 2) / kBlockRows);
}

// From the dearest on, one of so many neighbours to each block, and the first blocks one more where
// they do not come out even.
std::vector<Block> Deal(std::span<const std::uint32_t> rows) {
  std::vector<Block> blocks(BlocksOf(rows.size()));
  std::vector<std::size_t> turns(blocks.size());
  std::iota(turns.begin(), turns.end(), std::size_t{0});
  std::mt19937_64 random(kDealing);
  std::size_t dealt = 0;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row, ++dealt) {
    const std::size_t turn = dealt % blocks.size();
    const bool last_round = rows.size() - dealt < blocks.size();
    if (turn == 0 && !last_round) std::shuffle(turns.begin(), turns.end(), random);
    if (turn == 0 && last_round) std::sort(turns.begin(), turns.end());
    blocks[turns[turn]].push_back(*row);
  }
  return blocks;
}

// Where each block ends.
std::vector<std::size_t> EndsOf(std::size_t rows) {
  const std::size_t blocks = BlocksOf(rows);
  std::vector<std::size_t> ends;
  std::size_t end = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    end += rows / blocks + (block < rows % blocks ? 1 : 0);
    ends.push_back(end);
  }
  return ends;
}

}  // namespace

std::vector<std::uint32_t> BlockedOrder(std::span<const std::uint32_t> rows,
                                        std::uint64_t container) {
  std::mt19937_64 random(container);
  std::vector<std::uint32_t> order;
  order.reserve(rows.size());
  for (Block& block : Deal(rows)) {
    std::shuffle(block.begin(), block.end(), random);
    order.insert(order.end(), block.begin(), block.end());
  }
  return order;
}

std::size_t RowsOfWholeBlocks(std::size_t rows, std::size_t requests) {
  if (requests >= rows) return rows;
  std::size_t whole = 0;
  for (const std::size_t end : EndsOf(rows)) {
    if (end <= requests) whole = end;
  }
  return whole > 0 ? whole : requests;
}

std::size_t UpToWholeBlock(std::size_t rows, std::size_t requests) {
  for (const std::size_t end : EndsOf(rows)) {
    if (end >= requests) return requests == 0 ? 0 : end;
  }
  return requests;
}

std::vector<std::uint32_t> RowsByLatency(std::span<const Visit> visits) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> latencies;
  for (const Visit& visit : visits) latencies[visit.row].push_back(visit.latency_us);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> medians;
  for (auto& [row, of_row] : latencies) {
    const auto middle = of_row.begin() + static_cast<std::ptrdiff_t>(of_row.size() / 2);
    std::nth_element(of_row.begin(), middle, of_row.end());
    medians.emplace_back(*middle, row);
  }
  std::sort(medians.begin(), medians.end());
  std::vector<std::uint32_t> rows;
  rows.reserve(medians.size());
  for (const auto& [latency, row] : medians) rows.push_back(row);
  return rows;
}

}  // namespace mlprof::server

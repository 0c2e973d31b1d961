// Clock: when the next step of the simulation is due. See clock.h.

#include "ros/fleet_sim/clock.h"

#include <time.h>

#include "fleetweave/fleetweave.h"

static const int64_t SECOND_NS = 1000000000;
static const int64_t BEHIND_MAX_NS = 100000000;  // of our own time: further behind, it slows down

static int64_t system_now_ns(void)
{
  struct timespec now;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

sim_clock_t sim_clock(bool is_own, double factor, int64_t step_ns)
{
  return (sim_clock_t){
    .is_own = is_own,
    .factor = factor,
    .step_ns = step_ns,
    .now_ns = is_own ? 0 : system_now_ns(),
    .due_ns = fw_clock_now_ns(),
  };
}

int64_t sim_clock_wait_ns(sim_clock_t * clock, bool * jumped)
{
  *jumped = false;
  if (clock->is_own) {
    const int64_t now_ns = fw_clock_now_ns();
    if (clock->factor == 0.0 || now_ns > clock->due_ns + BEHIND_MAX_NS) {
      clock->due_ns = now_ns;
    }
    return clock->due_ns > now_ns ? clock->due_ns - now_ns : 0;
  }
  const int64_t now_ns = system_now_ns();
  const int64_t behind_ns = now_ns - clock->now_ns;
  if (behind_ns > 5 * SECOND_NS || behind_ns < -SECOND_NS) {
    clock->now_ns = now_ns;
    *jumped = true;
  }
  const int64_t wait_ns = clock->now_ns + clock->step_ns - now_ns;
  return wait_ns > 0 ? wait_ns : 0;
}

void sim_clock_step(sim_clock_t * clock)
{
  clock->now_ns += clock->step_ns;
  clock->elapsed_ns += clock->step_ns;
  if (clock->factor > 0.0) {
    clock->due_ns += (int64_t)((double)clock->step_ns / clock->factor);
  }
}

double sim_clock_seconds(const sim_clock_t * clock) { return 1e-9 * (double)clock->elapsed_ns; }

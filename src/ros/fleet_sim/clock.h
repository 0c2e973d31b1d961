// Clock: when the next step of the simulation is due, and what time it is then.
//
// Either the system's time, in steps; or a time of our own that starts at 0 and runs `factor` times as fast as the
// world. Ours slows down when the machine cannot keep up; the system's does not wait for us.

#ifndef ROS__FLEET_SIM__CLOCK_H_
#define ROS__FLEET_SIM__CLOCK_H_

#include <stdbool.h>
#include <stdint.h>

typedef struct sim_clock_t {
  bool is_own;
  double factor;  // of our own time; 0: as fast as it goes
  int64_t step_ns;
  int64_t now_ns;      // the time that the simulation has reached
  int64_t elapsed_ns;  // since the start
  int64_t due_ns;      // own: when the next step is due, on fw_clock_now_ns()
} sim_clock_t;

sim_clock_t sim_clock(bool is_own, double factor, int64_t step_ns);
// Until the next step is due; 0: it is. `jumped` says that the system's time was set and the clock has followed.
int64_t sim_clock_wait_ns(sim_clock_t * clock, bool * jumped);
void sim_clock_step(sim_clock_t * clock);
double sim_clock_seconds(const sim_clock_t * clock);  // since the start

#endif  // ROS__FLEET_SIM__CLOCK_H_

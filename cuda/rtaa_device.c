// The launch code: slices of the batch two at a time, each in a stream of its own.
//
// Nothing of the host changes before a slice is through: what comes back lands in memory of its own and is unpacked into
// the batch's rows only when the stream has ended well. So wherever a call fails, slices before are done and the rest is
// as it was. This is C and calls the runtime's C functions alone, so that it compiles against the test double as well.

#include "rtaa_device.h"

#include "rtaa_kernels.h"
#include "rtaa_run.h"

enum { CHUNK_EPISODES = 64 };  // after so many episodes it is asked whether anybody is still under way

static bool begin_slice(fw_rtaa_run_t * run, fw_rtaa_slot_t * slot, fw_rtaa_slice_t slice)
{
  const size_t cells = fw_rtaa_run_cells(run);
  fw_rtaa_slice_pack(run->view, slice, slot->staging);
  slot->slice = slice;
  slot->packed = fw_rtaa_slice_view(run->view, slice.count, slot->rows);
  slot->packed.cost = run->maps;
  slot->packed.moves = run->maps + cells;
  slot->packed.floor = run->maps + 2 * cells;
  slot->packed.truth = run->view->truth == run->view->cost ? run->maps : run->maps + 3 * cells;
  slot->packed.scratch = slot->lanes;
  slot->packed.lane_count = slice.count;
  slot->packed.is_interleaved = true;
  fw_rtaa_view_t * view = (fw_rtaa_view_t *)(slot->staging + fw_rtaa_run_view_offset(run));
  *view = slot->packed;
  return fw_cuda_call(
           &run->calls, "cudaMemcpyAsync",
           cudaMemcpyAsync(
             slot->rows, slot->staging, fw_rtaa_slice_bytes(run->view, slice.count), cudaMemcpyHostToDevice,
             slot->stream)) &&
         fw_cuda_call(
           &run->calls, "cudaMemcpyAsync",
           cudaMemcpyAsync(slot->view, view, sizeof(*view), cudaMemcpyHostToDevice, slot->stream)) &&
         (run->is_fused ||
          fw_cuda_call(
            &run->calls, "cudaMemsetAsync",
            cudaMemsetAsync(slot->lanes, 0, fw_rtaa_lanes_bytes(run->view, slice.count), slot->stream)));
}

static bool launch(fw_rtaa_run_t * run, fw_rtaa_slot_t * slot, int32_t kernel, int32_t episodes)
{
  const fw_rtaa_view_t * view = slot->view;
  void * arguments[] = {&view, &episodes};
  const unsigned int blocks = (unsigned int)((slot->slice.count + FW_BLOCK_ROBOTS - 1) / FW_BLOCK_ROBOTS);
  const dim3 grid = {blocks, 1, 1};
  const dim3 block = {FW_BLOCK_ROBOTS, 1, 1};
  const size_t shared = kernel == FW_RTAA_FUSED ? fw_rtaa_run_shared_bytes(run) : 0;
  return fw_cuda_call(
    &run->calls, "cudaLaunchKernel",
    cudaLaunchKernel(fw_rtaa_kernels[kernel], grid, block, arguments, shared, slot->stream));
}

// Some episodes, and everybody's state back to see who is left.
static bool run_chunk(fw_rtaa_run_t * run, fw_rtaa_slot_t * slot, int32_t episodes)
{
  bool is_fine = true;
  if (run->is_fused) {
    is_fine = launch(run, slot, FW_RTAA_FUSED, episodes);
  }
  for (int32_t episode = 0; episode < episodes && is_fine && !run->is_fused; ++episode) {
    for (int32_t kernel = FW_RTAA_INITIALIZE_ARRAY; kernel <= FW_RTAA_UPDATE_AND_CHECK && is_fine; ++kernel) {
      is_fine = launch(run, slot, kernel, 1);
    }
  }
  const fw_rtaa_view_t staged = fw_rtaa_slice_view(run->view, slot->slice.count, slot->staging);
  return is_fine &&
         fw_cuda_call(
           &run->calls, "cudaMemcpyAsync",
           cudaMemcpyAsync(
             staged.state, slot->packed.state, (size_t)slot->slice.count, cudaMemcpyDeviceToHost, slot->stream));
}

static bool is_anybody_left(const fw_rtaa_run_t * run, const fw_rtaa_slot_t * slot)
{
  const fw_rtaa_view_t staged = fw_rtaa_slice_view(run->view, slot->slice.count, slot->staging);
  for (int32_t robot = 0; robot < slot->slice.count; ++robot) {
    if (staged.state[robot] == FW_RTAA_RUNNING) {
      return true;
    }
  }
  return false;
}

// All episodes of the slices in the slots, side by side.
static bool run_episodes(fw_rtaa_run_t * run, int32_t slot_count)
{
  bool is_fine = true, is_left = true;
  for (int32_t done = 0; done < run->request->episodes && is_left && is_fine; done += CHUNK_EPISODES) {
    const int32_t left = run->request->episodes - done;
    is_left = false;
    for (int32_t i = 0; i < slot_count && is_fine; ++i) {
      is_fine = run_chunk(run, &run->slots[i], left < CHUNK_EPISODES ? left : CHUNK_EPISODES);
    }
    for (int32_t i = 0; i < slot_count && is_fine; ++i) {
      is_fine = fw_cuda_call(&run->calls, "cudaStreamSynchronize", cudaStreamSynchronize(run->slots[i].stream));
      is_left = (is_fine && is_anybody_left(run, &run->slots[i])) || is_left;
    }
  }
  return is_fine;
}

// Two slices from `first` on. Returns where the next begins, `first` if something failed before any was through.
static int32_t run_slices(fw_rtaa_run_t * run, int32_t first)
{
  int32_t next = first, slot_count = 0;
  bool is_fine = true;
  for (; slot_count < FW_RTAA_STREAMS && next < run->view->robot_count && is_fine; ++slot_count) {
    const int32_t left = run->view->robot_count - next;
    const fw_rtaa_slice_t slice = {next, left < run->slice_robots ? left : run->slice_robots};
    is_fine = begin_slice(run, &run->slots[slot_count], slice);
    next += slice.count;
  }
  is_fine = is_fine && run_episodes(run, slot_count);
  int32_t done = first;
  for (int32_t i = 0; i < slot_count && is_fine; ++i) {
    fw_rtaa_slot_t * slot = &run->slots[i];
    is_fine = fw_cuda_call(
                &run->calls, "cudaMemcpyAsync",
                cudaMemcpyAsync(
                  slot->staging, slot->rows, fw_rtaa_slice_bytes(run->view, slot->slice.count), cudaMemcpyDeviceToHost,
                  slot->stream)) &&
              fw_cuda_call(&run->calls, "cudaStreamSynchronize", cudaStreamSynchronize(slot->stream));
    if (is_fine) {
      fw_rtaa_slice_unpack(run->view, slot->slice, slot->staging);
      done = slot->slice.first + slot->slice.count;
    }
  }
  return done;
}

static bool run_device(const fw_device_request_t * request, int32_t * done, char * text, size_t text_size)
{
  fw_rtaa_run_t run = {.calls = {.text = text, .text_size = text_size}, .request = request, .view = request->view};
  *done = 0;
  bool is_fine = fw_rtaa_run_open(&run);
  while (is_fine && *done < request->view->robot_count) {
    *done = run_slices(&run, *done);
    is_fine = !run.calls.has_failed;
  }
  fw_rtaa_run_close(&run);
  return *done >= request->view->robot_count;
}

const fw_device_t fw_cuda_device = {.name = "cuda", .run = run_device};

#include "ros/planner_node/worker.h"

#include <string.h>

static bool is_cancelled(void * state) { return atomic_load(&((worker_t *)state)->is_cancelled); }

static bool is_same_choice(const node_planner_choice_t * a, const node_planner_choice_t * b)
{
  if (
    strcmp(a->name, b->name) != 0 || a->threads != b->threads || a->seed != b->seed ||
    a->memory_max_bytes != b->memory_max_bytes) {
    return false;
  }
  for (int32_t k = 0; k < FW_PARAMETERS_MAX; ++k) {
    if (strcmp(a->values[k], b->values[k]) != 0) {
      return false;
    }
  }
  return true;
}

static fw_ret_t make_planner(worker_t * worker, const node_planner_choice_t * choice, fw_error_t * error)
{
  if (worker->planner.impl != NULL && is_same_choice(&worker->choice, choice)) {
    return FW_RET_OK;
  }
  worker->job.since = 0;  // another planner remembers nothing
  fw_planner_fini(&worker->planner);
  worker->planner = (fw_planner_t){0};
  fw_planner_options_t options = fw_planner_options_default();
  options.memory_max_bytes = choice->memory_max_bytes;
  options.threads = choice->threads;
  options.seed = choice->seed;
  fw_ret_t ret = fw_planner_init(&worker->planner, choice->name, &options, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const fw_planner_def_t * definition = fw_planner_definition(&worker->planner);
  for (int32_t k = 0; ret == FW_RET_OK && k < definition->parameter_count; ++k) {
    ret = fw_planner_set(&worker->planner, definition->parameters[k].name, choice->values[k], error);
  }
  recording_forget_planner(&worker->recording);
  if (ret == FW_RET_OK) {
    worker->choice = *choice;
  } else {
    fw_planner_fini(&worker->planner);
    worker->planner = (fw_planner_t){0};
  }
  return ret;
}

static void work(worker_t * worker)
{
  const fw_budget_t cancel = {.is_cancelled = is_cancelled, .cancel_state = worker};
  worker->answer = (answer_t){0};
  worker->answer.ret = make_planner(worker, &worker->job.planner, &worker->answer.error);
  if (worker->answer.ret == FW_RET_OK) {
    solve((solver_t){&worker->planner, &worker->recording}, &worker->job, &cancel, &worker->answer);
  }
}

static void * run(void * argument)
{
  worker_t * worker = argument;
  pthread_mutex_lock(&worker->mutex);
  while (!worker->is_ending) {
    if (worker->state != WORKER_BUSY) {
      pthread_cond_wait(&worker->changed, &worker->mutex);
      continue;
    }
    pthread_mutex_unlock(&worker->mutex);
    work(worker);
    pthread_mutex_lock(&worker->mutex);
    worker->state = WORKER_DONE;
    worker->on_done(worker->context);
  }
  pthread_mutex_unlock(&worker->mutex);
  return NULL;
}

bool worker_init(worker_t * worker, void (*on_done)(void * context), void * context)
{
  worker->on_done = on_done;
  worker->context = context;
  if (pthread_mutex_init(&worker->mutex, NULL) != 0 || pthread_cond_init(&worker->changed, NULL) != 0) {
    return false;
  }
  worker->is_started = pthread_create(&worker->thread, NULL, run, worker) == 0;
  return worker->is_started;
}

void worker_fini(worker_t * worker)
{
  if (worker->is_started) {
    worker_cancel(worker);
    pthread_mutex_lock(&worker->mutex);
    worker->is_ending = true;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
    (void)pthread_join(worker->thread, NULL);
    (void)pthread_cond_destroy(&worker->changed);
    (void)pthread_mutex_destroy(&worker->mutex);
  }
  recording_close(&worker->recording);
  fw_planner_fini(&worker->planner);
  job_fini(&worker->job);
  worker->is_started = false;
}

worker_state_t worker_state(worker_t * worker)
{
  pthread_mutex_lock(&worker->mutex);
  const worker_state_t state = worker->state;
  pthread_mutex_unlock(&worker->mutex);
  return state;
}

static void change_state(worker_t * worker, worker_state_t state)
{
  pthread_mutex_lock(&worker->mutex);
  worker->state = state;
  pthread_cond_signal(&worker->changed);
  pthread_mutex_unlock(&worker->mutex);
}

void worker_start(worker_t * worker)
{
  atomic_store(&worker->is_cancelled, false);
  change_state(worker, WORKER_BUSY);
}

void worker_finish(worker_t * worker) { change_state(worker, WORKER_IDLE); }

void worker_cancel(worker_t * worker) { atomic_store(&worker->is_cancelled, true); }

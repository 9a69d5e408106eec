#pragma once

/// The number of calls of `malloc` by this thread.
unsigned long allocations_of_thread(void);

"""The compiled event loop. State lives in arrays that grow with what is under way, not with what has been."""

from __future__ import annotations

import numpy as np

from wavetank.kernel.compiling import compiled
from wavetank.microservices.compiled.heap import DUE, KIND_BITS, KINDS, WHAT, Array, Number, pop, push
from wavetank.microservices.compiled.model import CONSTANT, EXPONENTIAL, FIFO, NORMAL, ROUND_ROBIN
from wavetank.microservices.measures.histogram import bucket_of

_ARRIVE, _RECEIVE, _DONE, _ANSWER, _SHARED = 0, 1, 2, 3, 4
_NONE = -1
_NEVER = np.iinfo(np.int64).max
NANO = 1e9

# columns of a request
_OPERATION, _PARENT, _WAITING, _INSTANCE, _START, _NEXT = 0, 1, 2, 3, 4, 5
REQUEST_COLUMNS = 6

# columns of an instance
_ACTIVE, _HEAD, _TAIL, _QUEUED, _PLANNED = 0, 1, 2, 3, 4  # planned: when its shared CPU is looked at next
INSTANCE_COLUMNS = 5

# columns of the shared CPU of an instance
_PROGRESS, _SINCE = 0, 1

# columns of the state of the loop
NOW, FREE, SEQUENCE, SIZE, STATE_COLUMNS = 0, 1, 2, 3, 4


@compiled()
def draw(row: Array, generator: np.random.Generator) -> Number:
    """Draws a quantity from its row (kind, parameters)."""
    if row[0] == CONSTANT:
        return row[1]
    if row[0] == EXPONENTIAL:
        return row[1] * generator.standard_exponential()
    if row[0] == NORMAL:
        value = -1.0
        while value < 0:
            value = row[1] + row[2] * generator.standard_normal()
        return value
    return row[1] * np.exp(row[2] * generator.standard_normal())


@compiled()
def _next_arrival(
    time: float, starts: Array, rates: Array, first: int, last: int, generator: np.random.Generator
) -> Number:
    """Returns the next Poisson arrival after `time` (seconds); infinite if there is none."""
    for i in range(first, last):
        end = starts[i + 1]
        if time >= end or rates[i] <= 0:
            continue
        candidate = max(time, starts[i]) + generator.standard_exponential() / rates[i]
        if candidate < end:
            return candidate
        time = end
    return np.inf


@compiled()
def _grown(requests: Array, state: Array) -> Array:
    """Doubles the pool of requests and links the new ones to the free list."""
    size = len(requests)
    larger = np.empty((2 * size, REQUEST_COLUMNS), np.int64)
    larger[:size] = requests
    for i in range(size, 2 * size):
        larger[i, _NEXT] = i + 1
    larger[2 * size - 1, _NEXT] = _NONE
    state[FREE] = size
    return larger


@compiled()
def run_loop(
    until: int,
    state: Array,
    events: Array,
    requests: Array,
    instances: Array,
    shares: Array,
    tree: Array,
    deadline: Array,
    turn: Array,
    busy: Array,
    arrivals: Array,
    position: Array,
    generator: np.random.Generator,
    operation_service: Array,
    demand: Array,
    first_call: Array,
    calls: Array,
    probability: Array,
    first_instance: Array,
    speed: Array,
    threads: Array,
    policy: Array,
    balancer: Array,
    hop: Array,
    generator_operation: Array,
    loads: Array,
    starts: Array,
    rates: Array,
    recorded: Array,
    histogram: Array,
    totals: Array,
    longest: Array,
) -> tuple[Array, Array, Array, Array]:
    """Runs all events before `until` (nanoseconds); returns the arrays that may have grown."""
    while state[SIZE] and events[0, DUE] < until:
        now = events[0, DUE]
        kind, subject = events[0, WHAT] & KINDS, events[0, WHAT] >> KIND_BITS
        pop(events, state)
        state[NOW] = now
        if kind == _ARRIVE:
            operation = generator_operation[subject]
            events = schedule_arrival(
                subject, state, events, arrivals, position, generator, loads, starts, rates, recorded
            )
            if state[FREE] == _NONE:
                requests = _grown(requests, state)
                tree, deadline = _grown_tree(tree, deadline, len(requests))
            request = state[FREE]
            state[FREE] = requests[request, _NEXT]
            requests[request, _OPERATION] = operation
            requests[request, _PARENT] = _NONE
            requests[request, _START] = now
            kind, subject = _RECEIVE, request
        if kind == _RECEIVE:
            service = operation_service[requests[subject, _OPERATION]]
            first, last = first_instance[service], first_instance[service + 1]
            if requests[subject, _PARENT] == _NONE:
                requests[subject, _INSTANCE] = _choose(service, first, last, balancer, turn, generator)
            operation = requests[subject, _OPERATION]
            waiting = 0
            for i in range(first_call[operation], first_call[operation + 1]):
                if probability[i] < 1 and generator.random() > probability[i]:
                    continue
                waiting += 1
                if state[FREE] == _NONE:
                    requests = _grown(requests, state)
                    tree, deadline = _grown_tree(tree, deadline, len(requests))
                child = state[FREE]
                state[FREE] = requests[child, _NEXT]
                target = operation_service[calls[i]]
                requests[child, _OPERATION] = calls[i]
                requests[child, _PARENT] = subject
                requests[child, _INSTANCE] = _choose(
                    target, first_instance[target], first_instance[target + 1], balancer, turn, generator
                )
                delay = np.int64(np.rint(draw(hop, generator) * NANO))
                events = push(events, state, now + delay, _RECEIVE, child)
            requests[subject, _WAITING] = waiting
            if waiting:
                continue
        elif kind == _ANSWER:
            parent = requests[subject, _PARENT]
            requests[subject, _NEXT] = state[FREE]
            state[FREE] = subject
            requests[parent, _WAITING] -= 1
            if requests[parent, _WAITING]:
                continue
            subject = parent
        elif kind == _DONE:
            instance = requests[subject, _INSTANCE]
            service = operation_service[requests[subject, _OPERATION]]
            following = instances[instance, _HEAD]
            if following == _NONE:
                instances[instance, _ACTIVE] -= 1
            else:
                instances[instance, _HEAD] = requests[following, _NEXT]
                instances[instance, _QUEUED] -= 1
                if requests[following, _NEXT] == _NONE:
                    instances[instance, _TAIL] = _NONE
                span = _service_time(following, service, requests, demand, speed, threads, generator, busy, instance)
                events = push(events, state, now + span, _DONE, following)
            events = _answer(subject, now, state, events, requests, hop, generator, histogram, totals, longest)
            continue
        elif kind == _SHARED:
            if instances[subject, _PLANNED] != now:
                continue
            instances[subject, _PLANNED] = _NEVER
            service = np.searchsorted(first_instance, subject, side="right") - 1
            _advance(subject, service, now, instances, shares, speed, threads, busy)
            while instances[subject, _HEAD] != _NONE:
                top = instances[subject, _HEAD]
                if deadline[top] > shares[subject, _PROGRESS] * (1 + 1e-12) + 1e-12:
                    break
                instances[subject, _HEAD] = _merged(tree[top, 0], tree[top, 1], tree, deadline)
                instances[subject, _ACTIVE] -= 1
                events = _answer(top, now, state, events, requests, hop, generator, histogram, totals, longest)
            events = _plan(subject, service, now, state, events, instances, shares, deadline, speed, threads)
            continue
        # here a request is ready to be computed
        instance = requests[subject, _INSTANCE]
        service = operation_service[requests[subject, _OPERATION]]
        if policy[service] == FIFO:
            if instances[instance, _ACTIVE] < threads[service]:
                instances[instance, _ACTIVE] += 1
                span = _service_time(subject, service, requests, demand, speed, threads, generator, busy, instance)
                events = push(events, state, now + span, _DONE, subject)
            else:
                requests[subject, _NEXT] = _NONE
                instances[instance, _QUEUED] += 1
                if instances[instance, _TAIL] == _NONE:
                    instances[instance, _HEAD] = subject
                else:
                    requests[instances[instance, _TAIL], _NEXT] = subject
                instances[instance, _TAIL] = subject
        else:
            _advance(instance, service, now, instances, shares, speed, threads, busy)
            deadline[subject] = shares[instance, _PROGRESS] + draw(demand[requests[subject, _OPERATION]], generator)
            tree[subject, 0] = _NONE
            tree[subject, 1] = _NONE
            instances[instance, _HEAD] = _merged(instances[instance, _HEAD], subject, tree, deadline)
            instances[instance, _ACTIVE] += 1
            events = _plan(instance, service, now, state, events, instances, shares, deadline, speed, threads)
    state[NOW] = until
    return events, requests, tree, deadline


@compiled()
def schedule_arrival(
    number: int,
    state: Array,
    events: Array,
    arrivals: Array,
    position: Array,
    generator: np.random.Generator,
    loads: Array,
    starts: Array,
    rates: Array,
    recorded: Array,
) -> Array:
    """Schedules the next arrival of a generator, if there is one."""
    if loads[number, 0] < loads[number, 1]:
        if position[number] < loads[number, 1] - loads[number, 0]:
            due = recorded[loads[number, 0] + position[number]]
            position[number] += 1
            return push(events, state, due, _ARRIVE, number)
        return events
    first, last = loads[number, 2], loads[number, 3]
    arrivals[number] = _next_arrival(arrivals[number], starts, rates, first, last, generator)
    if arrivals[number] < np.inf:
        events = push(events, state, np.int64(np.rint(arrivals[number] * NANO)), _ARRIVE, number)
    return events


@compiled()
def _choose(
    service: int, first: int, last: int, balancer: Array, turn: Array, generator: np.random.Generator
) -> Number:
    if last - first == 1:
        return first
    if balancer[service] == ROUND_ROBIN:
        turn[service] += 1
        return last - 1 - (turn[service] - 1) % (last - first)
    return first + np.int64(generator.random() * (last - first))


@compiled()
def _service_time(
    request: int,
    service: int,
    requests: Array,
    demand: Array,
    speed: Array,
    threads: Array,
    generator: np.random.Generator,
    busy: Array,
    instance: int,
) -> Number:
    work = draw(demand[requests[request, _OPERATION]], generator)
    span = np.int64(np.rint(work / (speed[service] / threads[service]) * NANO))
    busy[instance] += span
    return span


@compiled()
def _answer(
    request: int,
    now: int,
    state: Array,
    events: Array,
    requests: Array,
    hop: Array,
    generator: np.random.Generator,
    histogram: Array,
    totals: Array,
    longest: Array,
) -> Array:
    """Sends an answer to the caller, or counts the response to a user and frees the request."""
    if requests[request, _PARENT] != _NONE:
        delay = np.int64(np.rint(draw(hop, generator) * NANO))
        return push(events, state, now + delay, _ANSWER, request)
    operation = requests[request, _OPERATION]
    response = now - requests[request, _START]
    histogram[operation, bucket_of(response)] += 1
    totals[operation] += response
    longest[operation] = max(longest[operation], response)
    requests[request, _NEXT] = state[FREE]
    state[FREE] = request
    return events


@compiled()
def _rate(instance: int, service: int, instances: Array, speed: Array, threads: Array) -> float:
    active = instances[instance, _ACTIVE]
    return min(speed[service] / threads[service], speed[service] / active) if active else 0.0


@compiled()
def _advance(
    instance: int, service: int, now: int, instances: Array, shares: Array, speed: Array, threads: Array, busy: Array
) -> None:
    elapsed = now - shares[instance, _SINCE]
    shares[instance, _PROGRESS] += _rate(instance, service, instances, speed, threads) * (elapsed / NANO)
    busy[instance] += elapsed * min(instances[instance, _ACTIVE], threads[service])
    shares[instance, _SINCE] = now


@compiled()
def _plan(
    instance: int,
    service: int,
    now: int,
    state: Array,
    events: Array,
    instances: Array,
    shares: Array,
    deadline: Array,
    speed: Array,
    threads: Array,
) -> Array:
    """Plans a look at a shared CPU at its next completion, unless an earlier look is planned already."""
    if instances[instance, _HEAD] == _NONE:
        return events
    left = max(0.0, deadline[instances[instance, _HEAD]] - shares[instance, _PROGRESS])
    due = now + np.int64(np.ceil(left / _rate(instance, service, instances, speed, threads) * NANO))
    if due >= instances[instance, _PLANNED]:
        return events
    instances[instance, _PLANNED] = due
    return push(events, state, due, _SHARED, instance)


@compiled()
def _merged(one: int, other: int, tree: Array, deadline: Array) -> int:
    """Merges two skew heaps of requests by their deadlines."""
    if one == _NONE:
        return other
    if other == _NONE:
        return one
    if deadline[other] < deadline[one]:
        one, other = other, one
    root = one
    while True:
        right = tree[one, 1]
        tree[one, 1] = tree[one, 0]
        if right == _NONE:
            tree[one, 0] = other
            return root
        if deadline[other] < deadline[right]:
            right, other = other, right
        tree[one, 0] = right
        one = right


@compiled()
def _grown_tree(tree: Array, deadline: Array, size: int) -> tuple[Array, Array]:
    larger, longer = np.empty((size, 2), np.int64), np.empty(size)
    larger[: len(tree)] = tree
    longer[: len(deadline)] = deadline
    return larger, longer

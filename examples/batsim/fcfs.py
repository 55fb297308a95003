"""A scheduler that speaks Batsim's protocol: jobs in the order of their arrival. python fcfs.py ENDPOINT"""

import json
import sys

import zmq

free, waiting, machines = set(), [], {}
socket = zmq.Context().socket(zmq.REP)
socket.bind(sys.argv[1])
over = False
while not over:
    message = json.loads(socket.recv())
    answers = []
    for event in message["events"]:
        data = event["data"]
        if event["type"] == "SIMULATION_BEGINS":
            free = {machine["id"] for machine in data["compute_resources"]}
        elif event["type"] == "JOB_SUBMITTED":
            waiting.append((data["job_id"], data["job"]["res"]))
        elif event["type"] == "JOB_COMPLETED":
            free |= machines.pop(data["job_id"])
        over = over or event["type"] == "SIMULATION_ENDS"
    while waiting and waiting[0][1] <= len(free):
        job, size = waiting.pop(0)
        machines[job] = set(sorted(free)[:size])
        free -= machines[job]
        alloc = " ".join(map(str, sorted(machines[job])))
        answers.append({"timestamp": message["now"], "type": "EXECUTE_JOB", "data": {"job_id": job, "alloc": alloc}})
    socket.send_string(json.dumps({"now": message["now"], "events": answers}))

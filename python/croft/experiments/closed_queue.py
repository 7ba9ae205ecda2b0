"""Queueing theory for clients of one server that block until they are answered (paper 000, section 5)."""

import math

import numpy as np


def fixed_point(clients: int, service: float, base_latency: float, think: float) -> tuple[float, float]:
    """The response time that the paper's M/D/1 model gives, and the server's utilisation.

    The solution of R = Lb + rho Ts / (2 (1 - rho)), rho = p Ts / (Tp + R). All times are cycles.
    """
    low, high = base_latency, base_latency + clients * service + service / 2
    # The waiting time falls as R grows, so there is one solution; it is sought by halving.
    for _ in range(200):
        response = (low + high) / 2
        utilisation = clients * service / (think + response)
        if utilisation >= 1 or base_latency + utilisation * service / (2 * (1 - utilisation)) > response:
            low = response
        else:
            high = response
    return response, clients * service / (think + response)


def asymptotic_bound(clients: int, service: float, think: float) -> float:
    """No response can be shorter on average, for the server answers only one client every ``service``."""
    return clients * service - think


def closed_queue_response(clients: int, service: float, base_latency: float, think: float) -> float:
    """The response time of the closed queue M/D/1//p, in which no client waits for itself.

    Where the way to the server and back takes time, it is taken to be thought as well, exponentially distributed;
    so the result is exact only for a base latency equal to the service time.
    """
    away = think + base_latency - service
    arrives = 1 - math.exp(-service / away)  # the probability that a client that thinks asks during one service
    # The chain of how many requests a finished one leaves behind: 0 to clients - 1.
    transitions = np.zeros((clients, clients))
    for left in range(clients):
        thinking = clients - max(left, 1)
        for asked in range(thinking + 1):
            chance = math.comb(thinking, asked) * arrives**asked * (1 - arrives) ** (thinking - asked)
            transitions[left, max(left, 1) - 1 + asked] += chance
    system = np.vstack([transitions.T - np.eye(clients), np.ones(clients)])
    stationary = np.linalg.lstsq(system, np.append(np.zeros(clients), 1.0), rcond=None)[0]
    # From one finished request to the next: a service, and before it, if nobody waited, the time until someone asks.
    interval = service + stationary[0] * away / clients
    return clients * interval - think

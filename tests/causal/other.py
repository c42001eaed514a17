"""Interventions on tables of observations as pgmpy estimates them: one JSON question on each line in, one answer out."""

import itertools
import json
import sys

import pandas
from pgmpy.factors.discrete import TabularCPD
from pgmpy.inference import VariableElimination
from pgmpy.models import DiscreteBayesianNetwork

STATES = [0, 1]


def fitted(order, rows):
    """The network in which each variable depends on all before it: its joint distribution is that of the weighted table."""
    network = DiscreteBayesianNetwork(list(itertools.combinations(order, 2)))
    network.add_nodes_from(order)
    table = pandas.DataFrame(rows, columns=order + ["weight"])
    for position, name in enumerate(order):
        before = order[:position]
        columns = []
        for values in itertools.product(STATES, repeat=len(before)):
            chosen = table
            for other, value in zip(before, values):
                chosen = chosen[chosen[other] == value]
            total = chosen["weight"].sum()
            ones = chosen[chosen[name] == 1]["weight"].sum()
            columns.append(ones / total if total > 0 else 0.5)
        network.add_cpds(
            TabularCPD(name, 2, [[1 - p for p in columns], columns], before, [2] * len(before),
                       state_names={other: STATES for other in [name] + before})
        )
    return network


def answer(question):
    cause, effect = question["cause"], question["effect"]
    network = fitted(question["order"], question["rows"])
    mutilated = VariableElimination(network.do(cause))
    plain = VariableElimination(network)

    def probability(inference, wanted, given):
        factor = inference.query(list(wanted), evidence=given, show_progress=False)
        return float(factor.get_value(**wanted))

    changed, unchanged = (probability(mutilated, {effect: 1}, {cause: value}) for value in (1, 0))
    direct = 0.0
    others = question["others"]
    for values in itertools.product(STATES, repeat=len(others)):
        z = dict(zip(others, values))
        mass = probability(mutilated, z, {cause: 0}) if z else 1.0
        if mass > 0:
            one, zero = (probability(plain, {effect: 1}, {cause: value, **z}) for value in (1, 0))
            direct += (one - zero) * mass
    return {"changed": changed, "unchanged": unchanged, "direct": direct}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)

"""Users make requests in the name of others, as far as they may."""

from __future__ import annotations

import pytest

from wavetank.apiserver.authorization.attributes import Attributes
from wavetank.apiserver.authorization.authorizer import AlwaysAllow, Decision
from wavetank.apiserver.authorization.impersonation import impersonate
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.requests.request import User

JANE = User("jane", ("system:authenticated",))


def headers(*given: tuple[str, str]) -> list[tuple[bytes, bytes]]:
    return [(f"impersonate-{name}".encode(), value.encode()) for name, value in given]


class OnlyUsers(AlwaysAllow):
    """Allows to impersonate users, and nothing else."""

    def authorize(self, user: User, attributes: Attributes) -> Decision:
        return Decision(attributes.resource == "users", "" if attributes.name == "ops" else "why not")


@pytest.mark.parametrize(
    ("given", "user"),
    [
        ([], JANE),
        ([("user", "bob")], User("bob", ("system:authenticated",))),
        ([("user", "bob"), ("group", "a"), ("group", "b")], User("bob", ("a", "b", "system:authenticated"))),
        ([("user", "bob"), ("group", "system:authenticated")], User("bob", ("system:authenticated",))),
        ([("user", "bob"), ("group", "system:unauthenticated")], User("bob", ("system:unauthenticated",))),
        ([("user", "system:anonymous")], User("system:anonymous", ("system:unauthenticated",))),
        (
            [("user", "system:serviceaccount:ns:sa")],
            User(
                "system:serviceaccount:ns:sa",
                ("system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"),
            ),
        ),
        (
            [("user", "bob"), ("extra-a%2fb", "1"), ("extra-a%2fb", "2"), ("uid", "7")],
            User("bob", ("system:authenticated",), "7", (("a/b", ("1", "2")),)),
        ),
    ],
)
def test_a_user_may_be_another(given: list[tuple[str, str]], user: User) -> None:
    assert impersonate(AlwaysAllow(), JANE, headers(*given)) == user


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        ([("group", "devs")], 400, "requested [{Group  devs    }] without impersonating a user"),
        ([("uid", "1")], 400, "requested [{UID  1  authentication.k8s.io/v1  }] without impersonating a user"),
        (
            [("user", "bob"), ("group", "ops")],
            403,
            'groups "ops" is forbidden: User "jane" cannot impersonate resource "groups" in API group "" at the '
            "cluster scope",
        ),
        (
            [("user", "system:serviceaccount:ns:sa")],
            403,
            'serviceaccounts "sa" is forbidden: User "jane" cannot impersonate resource "serviceaccounts" in API '
            'group "" in the namespace "ns": why not',
        ),
    ],
)
def test_what_a_user_may_not_be_is_refused(given: list[tuple[str, str]], code: int, message: str) -> None:
    with pytest.raises(StatusError) as refused:
        impersonate(OnlyUsers(), JANE, headers(*given))
    assert (refused.value.code, str(refused.value)) == (code, message)

from tests.apiserver.inprocess import Caller


def test_a_priority_class_of_the_system_is_not_deleted() -> None:
    answer = Caller().ask("DELETE", "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical")
    assert answer.status == 403
    why = "this is a system priority class and cannot be deleted"
    assert answer.body["message"] == f'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: {why}'

from __future__ import annotations

import pytest

from wavetank.textcache import LONGEST, Kept, cached_text, cached_texts

LONG = "x" * (LONGEST + 1)


class Maker:
    """Answers with the length of what it is asked for, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    def one(self, text: str) -> int:
        if text == "wrong":
            raise ValueError(text)
        self.asked.append(text)
        return len(text)

    def several(self, text: str, number: int, texts: tuple[str, ...]) -> int:
        self.asked.append((text, number, texts))
        return len(text) + number + len(texts)


@pytest.fixture
def maker() -> Maker:
    return Maker()


def test_a_short_text_is_asked_for_once(maker: Maker) -> None:
    length = cached_text(10)(maker.one)
    assert [length("short"), length("short")] == [5, 5]
    assert maker.asked == ["short"]


def test_a_long_text_is_asked_for_each_time(maker: Maker) -> None:
    length = cached_text(10)(maker.one)
    assert [length(LONG), length(LONG)] == [len(LONG), len(LONG)]
    assert maker.asked == [LONG, LONG]


@pytest.mark.parametrize(
    ("arguments", "times"),
    [
        pytest.param(("short", 1, ("a", "b")), 1, id="short ones"),
        pytest.param((LONG, 1, ()), 2, id="a long text"),
        pytest.param(("short", 1, ("a", LONG)), 2, id="a long text in a tuple"),
        pytest.param(("short", 1, ("a",) * LONGEST), 2, id="many texts"),
    ],
)
def test_of_several_arguments_none_may_be_long(
    maker: Maker, arguments: tuple[str, int, tuple[str, ...]], times: int
) -> None:
    total = cached_texts(10)(maker.several)
    assert total(*arguments) == total(*arguments) == maker.several(*arguments)
    assert len(maker.asked) == times + 1


def test_an_error_is_not_kept(maker: Maker) -> None:
    length = cached_text(10)(maker.one)
    for _ in range(2):
        with pytest.raises(ValueError, match="wrong"):
            length("wrong")


def test_what_is_asked_for_stays_while_others_come_and_go(maker: Maker) -> None:
    length = cached_text(10)(maker.one)
    for number in range(1000):
        length("often")
        length(str(number))
    assert maker.asked.count("often") == 1
    assert length("0") == 1
    assert maker.asked.count("0") == 2


def test_at_most_two_generations_are_kept(maker: Maker) -> None:
    kept = Kept(maker.one, 10, 0, None)
    for number in range(1000):
        assert kept[str(number)] == len(str(number))
        assert len(kept) <= 10
        assert len(kept.old) <= 10


def test_long_texts_are_kept_up_to_a_number_of_characters(maker: Maker) -> None:
    kept = Kept(maker.one, 100, 3 * len(LONG), None)
    texts = [f"{number}{LONG[1:]}" for number in range(10)]
    for text in texts:
        kept[text]
        assert sum(map(len, kept)) <= 3 * len(LONG)
        assert sum(map(len, kept.old)) <= 3 * len(LONG)
    assert kept[texts[-1]] == len(LONG)
    assert maker.asked == texts
    kept["x" * 4 * len(LONG)]
    assert max(map(len, kept)) == len(LONG)


def test_a_large_answer_counts_as_a_long_text(maker: Maker) -> None:
    kept = Kept(maker.one, 100, 2 * LONGEST + 2, lambda length: 1000 * length)
    for text in ("a", "b", "c"):
        kept[text]
    assert (list(kept), list(kept.old)) == (["c"], ["a", "b"])
    kept["too large"]
    assert list(kept) == ["c"]

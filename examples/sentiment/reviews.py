"""Writes English review sentences about things people buy, from a small grammar.

Every sentence is made here; none is copied from anywhere. A sentence is labelled 1 (the writer is
pleased) or 0 (is not). It is not enough to look for a happy word: praise is negated ("not worth
the money"), complaints are conceded before praise and the other way round, facts say nothing, the
same verb praises one thing and damns another, and a few labels are simply wrong, as in real data.
"""

import random

THINGS = {
    "film": ["film", "sequel", "documentary", "thriller", "comedy", "series"],
    "meal": ["restaurant", "pasta", "breakfast", "dessert", "takeaway", "tasting menu"],
    "stay": ["hotel", "guest house", "apartment", "campsite", "hostel", "resort"],
    "device": ["phone", "laptop", "headset", "kettle", "vacuum cleaner", "bicycle lamp"],
    "book": ["novel", "biography", "cookbook", "guidebook", "poetry collection", "textbook"],
    "service": ["delivery", "repair shop", "insurance", "language course", "gym", "car rental"],
}
ASPECTS = {
    "film": ["plot", "soundtrack", "ending", "dialogue", "camera work", "cast", "pacing"],
    "meal": ["sauce", "portion", "waiter", "seasoning", "wine list", "crust", "table by the door"],
    "stay": ["room", "reception", "bed", "shower", "view", "parking", "breakfast buffet"],
    "device": ["battery", "screen", "hinge", "keyboard", "manual", "charger", "casing"],
    "book": ["prose", "opening chapter", "index", "translation", "paper", "narrator", "cover"],
    "service": ["schedule", "hotline", "price", "staff", "contract", "booking page", "refund"],
}
GOOD = ["excellent", "charming", "reliable", "delightful", "superb", "thoughtful", "crisp",
        "generous", "memorable", "polished", "flawless", "refreshing", "honest", "sturdy",
        "wonderful", "clever", "friendly", "elegant", "quick", "comfortable", "vivid", "warm"]
BAD = ["dreadful", "sloppy", "tedious", "flimsy", "bland", "rude", "overpriced", "noisy",
       "confusing", "stale", "clumsy", "shoddy", "disappointing", "careless", "greasy", "dull",
       "unreliable", "cramped", "tasteless", "broken", "endless", "cold"]
PRAISE = ["won me over", "kept me smiling", "was worth every penny", "beat my expectations",
          "made the whole week better", "did exactly what it promised", "grew on me quickly",
          "deserves its reputation", "felt like a bargain", "never let us down"]
BLAME = ["let me down", "fell apart within days", "wasted an entire evening", "tested my patience",
         "was not worth the money", "missed every promise", "made me regret the order",
         "left a bad taste", "felt like a rip-off", "went from bad to worse"]
FACTS = ["I bought it in {month}.", "We were a group of {n}.", "It arrived on a {day}.",
         "My {who} had picked the {thing}.", "The {aspect} is described on page {n}.",
         "There are {n} others in the same street.", "I used the {thing} for {n} weeks.",
         "The {aspect} comes in {n} colours.", "It replaced a {thing} from last {month}."]
ADVERBS = ["really", "quite", "rather", "surprisingly", "honestly", "somewhat", "truly", "almost"]
MONTHS = ["January", "March", "May", "July", "September", "November"]
DAYS = ["Monday", "Wednesday", "Friday", "Sunday"]
PEOPLE = ["sister", "neighbour", "colleague", "grandfather", "flatmate", "cousin"]
TIMES = ["", " after a month", " from day one", " in the end", " on the second visit",
         " at first sight", " again and again", " for the first hour"]
SYLLABLES = ("ka", "lor", "mi", "ven", "ta", "rin", "bo", "sel", "du", "har", "ne", "quil", "os", "ju",
             "fen", "ral", "pi", "tor", "we", "lan")
WRONG_LABELS = 0.03


class Reviewer:
    """Draws sentences from the grammar; the same seed gives the same sentences."""

    def __init__(self, seed):
        self._random = random.Random(seed)

    def sentence(self, pleased):
        """One sentence of a pleased or displeased writer."""
        r = self._random
        kind = r.choice(sorted(THINGS))
        words = {
            "thing": r.choice(THINGS[kind]), "aspect": r.choice(ASPECTS[kind]),
            "aspect2": r.choice(ASPECTS[kind]), "adverb": r.choice(ADVERBS),
            "like": r.choice(GOOD if pleased else BAD), "unlike": r.choice(BAD if pleased else GOOD),
            "like2": r.choice(GOOD if pleased else BAD),
            "verdict": r.choice(PRAISE if pleased else BLAME),
            "unverdict": r.choice(BLAME if pleased else PRAISE),
            "time": r.choice(TIMES), "who": r.choice(PEOPLE), "month": r.choice(MONTHS),
            "day": r.choice(DAYS), "n": r.randint(2, 19),
        }
        if r.random() < 0.4:
            words["thing"] = f"{self._name()} {words['thing']}"
        pattern = r.choices(self._patterns(), weights=(24, 16, 10, 12, 12, 9, 9, 8))[0]
        text = pattern.format(**words)
        return text[0].upper() + text[1:]

    def review(self, pleased, sentences):
        """Several sentences by one writer, facts and second thoughts among them."""
        r = self._random
        parts = []
        for _ in range(sentences):
            if r.random() < 0.25:
                kind = r.choice(sorted(THINGS))
                parts.append(r.choice(FACTS).format(
                    month=r.choice(MONTHS), n=r.randint(2, 90), day=r.choice(DAYS),
                    who=r.choice(PEOPLE), thing=r.choice(THINGS[kind]),
                    aspect=r.choice(ASPECTS[kind])))
            else:
                parts.append(self.sentence(pleased if r.random() < 0.85 else not pleased))
        return " ".join(parts)

    def labelled(self, count):
        """`count` (text, label) pairs, half of them pleased."""
        r = self._random
        pairs = []
        for i in range(count):
            pleased = i % 2 == 0
            text = self.sentence(pleased) if r.random() < 0.6 else self.review(
                pleased, r.randint(2, 5))
            label = int(pleased) if r.random() >= WRONG_LABELS else int(not pleased)
            pairs.append((text, label))
        r.shuffle(pairs)
        return pairs

    def _name(self):
        """A maker's or a place's name; there are thousands."""
        return "".join(self._random.choices(SYLLABLES, k=3)).capitalize()

    @staticmethod
    def _patterns():
        return (
            "the {aspect} of this {thing} was {adverb} {like}{time}.",
            "this {thing} {verdict}{time}.",
            "the {aspect} was {adverb} {like} and the {aspect2} {like2}.",
            "the {aspect} seemed {unlike}, but the {thing} {verdict}{time}.",
            "my {who} called the {thing} {unlike}; I found the {aspect} {like}.",
            "nobody could say that the {aspect} was {unlike}, or that the {thing} {unverdict}.",
            "I expected a {unlike} {thing} and got a {like} one{time}.",
            "it is {adverb} hard to call the {aspect} {unlike}, given how {like} the {aspect2} was.",
        )

"""English tokens as the English Web Treebank has them."""

import pytest

from treewright.tokenization import tokenize_words

# In the second column: tokens are separated by spaces, the words of a multiword token by "+".
CASES = [
    ("Trees grow.", "Trees grow ."),
    ("I don't know.", "I do+n't know ."),
    ("You can’t!", "You ca+n’t !"),
    ("It's Bush's", "It+'s Bush+'s"),
    ("we're I've he'll she'd I'm", "we+'re I+'ve he+'ll she+'d I+'m"),
    ("DON'T", "DO+N'T"),
    ("couldn't've", "could+n't+'ve"),
    ("We cannot go", "We can+not go"),
    ("Cannot", "Can+not"),
    ("gonna wanna gotta", "gon+na wan+na got+ta"),
    ("dont im thats", "do+nt i+m that+s"),
    ("its lets", "its lets"),
    ("parents' house", "parents+' house"),
    ("the 'big cats' here", "the ' big cats ' here"),
    ("'cats' here", "' cats ' here"),
    ("O'Brien and Sha'lan", "O'Brien and Sha'lan"),
    ("the '60s, the 80's, '09", "the '60s , the 80's , '09"),
    ("get 'em", "get 'em"),
    ("a well-known al-Ani", "a well - known al - Ani"),
    ("non-human e-mail co-workers mid-July", "non-human e-mail co-workers mid-July"),
    ("yes--no -- maybe", "yes -- no -- maybe"),
    ("1,200 3.5 10:30 9/11 11/28/2000", "1,200 3.5 10:30 9/11 11/28/2000"),
    ("713-853-3989 646-8420 94720-5180", "713-853-3989 646-8420 94720-5180"),
    ("10-15 people", "10 - 15 people"),
    ("$500 and 50%", "$ 500 and 50 %"),
    ("5pm 10:30am 3km 5k", "5 pm 10:30 am 3 km 5 k"),
    ("the 5th in the 1990s", "the 5th in the 1990s"),
    ("Mr. Smith and Dr. Who", "Mr. Smith and Dr. Who"),
    ("the U.S. economy", "the U.S. economy"),
    ("in the U.S.", "in the U.S ."),
    ("at 5 p.m. (e.g. here)", "at 5 p.m. ( e.g. here )"),
    ("George W. Bush", "George W. Bush"),
    ("and so on...", "and so on ..."),
    ("What?! No!!!", "What ?! No !!!"),
    ("see (the [long] list)", "see ( the [ long ] list )"),
    ('He said "no".', 'He said " no " .'),
    ("“So,” he said", "“ So , ” he said"),
    ("go to http://www.enron.com/a?b=1, now", "go to http://www.enron.com/a?b=1 , now"),
    ("(www.juancole.com)", "( www.juancole.com )"),
    ("at liquidweb.com.", "at liquidweb.com ."),
    ("mail carol.st.clair@enron.com!", "mail carol.st.clair@enron.com !"),
    ("open ENRON.XLS, please", "open ENRON.XLS , please"),
    ("thanks :) ;-) :( <3 ^_^", "thanks :) ;-) :( <3 ^_^"),
    ("note: (a)", "note : ( a )"),
    ("AT&T and PG&E's", "AT&T and PG&E+'s"),
    ("and/or w/o", "and / or w/o"),
    ("#1 @home", "# 1 @home"),
    ("the end.Next one", "the end . Next one"),
    ("comp.sources.unix", "comp.sources.unix"),
    ("*** === ----", "*** === ----"),
]


ADDRESSES = [
    ("en", "see https://a.org/b_(c).", "see https://a.org/b_(c) ."),
    ("en", "(see https://a.org/b_(c))", "( see https://a.org/b_(c) )"),
    ("en", "http://a.org/(((", "http://a.org/((("),
    ("en", "https://例え.jp/日本", "https://例え.jp/日本"),
    ("de", "https://a.jp/x。「", "https://a.jp/x 。 「"),
    ("ja", "はhttps://a.jp/を見", "は https://a.jp/ を 見"),
    ("ja", "林taro@a.jpです", "林 taro@a.jp です"),
    ("zh", "在www.a.cn/b和", "在 www.a.cn/b 和"),
]


@pytest.mark.parametrize(("language", "text", "expected"), ADDRESSES)
def test_addresses_end_where_they_do(language, text, expected):
    assert " ".join(token.words[0] for token in tokenize_words(text, language)) == expected


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_tokens(text, expected):
    assert " ".join("+".join(token.words) for token in tokenize_words(text)) == expected


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_words_of_english_spell_the_token(text, expected):
    for token in tokenize_words(text):
        assert "".join(token.words) == text[token.start : token.end]

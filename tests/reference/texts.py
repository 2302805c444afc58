"""Texts for the golden vectors, ordinary and nasty.

Characters are ones that Unicode 14 already had (and not U+00B8, whose word-break property later changed), so that
libraries with different Unicode versions agree on them.
"""

# Passed to the pipeline as they stand: no NFKC.
PIPELINE = [
    # Nothing, and nothing but layout.
    "", " ", "\t", "\n", "\n\n\n", "   ", ".", "...", "?!", "()", "-", "--", "/", "'", '"', "''", ". , ; : ! ? ' \" ( ) - /",
    "a", "I", "i", "7",
    # Plain sentences.
    "Hello.", "Hello, John!", "The cat and the dog meet at our house tomorrow.", "you and I", "I'm in London; you're not.",
    "Hello\nJohn\n\n- cat\n- dog\n", "hello\tjohn", "  hello  john  ", "(hello) 'john' \"cat\"", "cat/dog", "cat-dog", "cat--dog",
    "well-known, state-of-the-art", "Hello...world", "hello,john", "hello;john:cat", "Hello:john a:b", "א:ב", "a:", ":a", "a::b", "a_:b", "10:30:cat", "a.b", "e.g. i.e. U.S.A. Ph.D.", "end.Start",
    # Apostrophes and possessives.
    "John's cat", "john's's", "the cats' house", "cats'", "'cat'", "'tis", "rock 'n' roll", "o'clock", "don't", "DON'T", "dont",
    "can't've", "y'all", "''s", "'s", "s'", "cat''s", "john\u2019s book", "\u2018cat\u2019", "don\u02bct", "cat\u2032s", "i's", "I'll I'd I've",
    # Case and folding.
    "HELLO", "hELLO wORLD", "Café", "cafe\u0301", "CAFE\u0301S", "naïve", "über", "Über", "ÜBERS", "u\u0308ber", "Straße", "STRASSE", "straße's",
    "łódź", "Ærø", "œuvre", "ĸ ŉ ŀ ĳ ſ ŧ ħ ı ŋ", "ÞÓR", "İstanbul", "ΣΑΣ", "ǅ ǆ", "Ꭰ ꭰ", "÷", "Đ đ ð", "friendß", "ĦØŨŚĘ", "ſtupid", "K",
    # Near spellings.
    "freind", "frind", "friennd", "friendd", "friends", "friend's", "friends'", "friends's", "Londn", "Londno", "lodon", "helo", "hell", "ello",
    "hellp", "hallo", "xhello", "bonk", "bask", "bakc", "bnuk", "bok", "boook", "booook", "cooool", "heeeello", "hhhouse", "catttt", "ballooon", "balooon",
    "baloon", "meeeeet", "aaaa", "aaa", "cat's'", "their", "thier", "theer", "therr", "thexe", "ther", "you're", "cann't", "ca't", "tomorow", "tommorrow",
    "tomorrows", "stupidd", "stuppid", "hello_", "_hello", "he_llo", "hello1", "john2", "2nd", "3rd", "2ndd", "ωcat", "caté", "t\u00eate-\u00e0-t\u00eate",
    # Numbers in words.
    "0", "00", "007", "0000", "1", "10", "12", "19", "99", "100", "101", "123", "999", "1000", "1991", "1999", "1999.95", "1,990", "1,990,000",
    "2,0,0,0", "3.14", "0.5", ".5", "5.", "2.", "10:30", "10:30pm", "10pm", "7am", "7-11", "1/2", "½", "²", "12/31/1999", "31.12.1999", "2024-02-29",
    "v1.2.3", "1.2.3", "1.2.3.4", "192.168.0.1", "2nd-3rd", "1e10", "0x1F", "7th", "7's", "1990s", "1990's", "'90s", "100%", "7%", "5%", "50 %", "7%%", "%7", "%",
    "$7", "$5", "$5%", "$7%", "$10.50", "€100", "£7", "¥2000", "100€", "7$", "$$7", "$ 7", "€€7", "$#7", "#$7", "££", "€cat", "$cat", "$-7", "-7", "+7", "#7", "#1990",
    "1,", "7,7,", "1'000", "1_000", "10\u00a0000", "10\u202f000 €", "123456", "99999999999999999999999999",
    # Symbols.
    "#", "##", "&", "&&", "@", "@john", "#hello", "#HelloJohn #cat", "cat&dog", "cat & dog", "c++", "C#", "a+b=c", "a < b > c", "<b>hello</b>", "[cat]", "{dog}",
    "cat|dog", "~/cat", "^_^", ":-)", ";)", "<3", "</3", "=>", "==", "*cat*", "__init__", "_", "__", "a_b", "\\n", "`cat`", "100+100", "*_*#", "* _", "#%", "%#7%", "$%", "§7", "©", "™", "•",
    "cat•dog", "→", "¿cat?", "¡hello!", "¬", "‰", "№7", "°C",
    # Long numbers.
    "1234567", "123456x", "1234567x", "1234567_", "x1234567", "1234567.", "1234567.8", "+49 30 1234567", "(030) 123-4567", "030/123-4567.", "+1 (555) 010-9999",
    "+1(555)010-9999", "1-800-FLOWERS", "555 1234 cat", "555-12345-cat", "12 34 56 7", "12 34 56", "4111 1111 1111 1111", "4111-1111-1111-1111,", "DE89 3704 0044 0532 0130 00",
    "DE89370400440532013000", "GB82 WEST 1234 5698 7654 32", "123-45-6789", "2024-02-29 10:30", "20240229", "1234567 890", "1234 (567) 890", "12(34)5678", "12((3456789", "12)3456789", "12))3456789",
    "12)-(3456789", "12- 3456789", "(1234567)", "((1234567", "+(123)4567", "++1234567", "+ 1234567", "-1234567", "$1234567", "€1234567", "1234567%", "1234567€", "1,234,567", "1.234.567", "1.234.567,89",
    "$1,250,000", "1'250'000", "4111,1111,1111,1111", "4111_1111_1111_1111", "(555) 123 - 4567", "555 / 123 / 4567", "1234567 - x", "555 -1234", "555- 1234", "12 -  345678", "1,2, 34567", "1,,234567",
    "call 1234567 or 7654321", "1234567-", "1234567 ", "1234567/8", "123.456.7890x", "123 4567\n890", "12 cats 3456789", "978-3-16-148410-0", "1234567é", "1234567\u0301", "3.14159265358979",
    "\uff11\uff12\uff13\uff14\uff15\uff16\uff17", "123\u00a0456\u00a07890", "123\u20134567890", "\u0661\u0662\u0663\u0664\u0665\u0666\u0667",
    # E-mail addresses.
    "john@cat.com", "Mail john.doe@cat.co.uk.", "<john@cat.com>", "john@cat.com,dog@cat.com", "JOHN+cat@CAT.com!", "(john@cat.com)", "mailto:john@cat.com", "john@cat", "john@.com", "john@com.", "john@com..",
    "@cat.com", "a@b.c", "a@b@c.d", "a@@b.c", "john@cat.com-", "john@cat..com", "john@cat.c", "john@münchen.de", "\"john doe\"@cat.com", "john@[1.2.3.4]", "john_doe-1@cat.com", "1234567@cat.com", "1234567 john@cat.com",
    "john at cat dot com", "john@cat.com/john", "o'john@cat.com", "john@cat.com's", "%john@cat.com", "-john@cat.com", ".john@cat.com", "#john@cat.com", "日john@cat.com", "john\u200b@cat\u00ad.com", "john＠cat.com", "x=john@cat.com",
    # URLs.
    "http://cat.com", "https://cat.com/a?b=c&d=e#f", "See https://cat.com/a.", "(https://cat.com/a)", "https://cat.com/a_(b)", "HTTPS://CAT.COM", "hTtP://x", "ftp://cat.com/1234567", "www.cat.com", "WWW.cat.com!", "www.", "www",
    "www..", "www.)", "www.)x", "http://", "http://.", "https://'", "xhttp://cat.com", "x.www.cat.com", "-www.cat.com", "/www.cat.com", "\"https://cat.com\"", "<https://cat.com>", "https://cat.com>dog", "https://cat.com\"dog",
    "https://cat.com\ndog", "https://cat.com\tdog", "https://cat.com\u00a0dog", "https://john:x@cat.com", "http://www.cat.com", "https://cat.com,https://dog.com", "https://cat.com!?!", "https://müller.de/straße", "http\u017f://cat.com",
    "HTTPſ://cat.com", "https://cat.com\u2026", "https://cat.com\u201d", "file:///cat", "cat.com", "https:/cat.com", "https://日本.jp/猫。", "http://1234567", "ＨＴＴＰ://cat", "https\u00ad://cat.com",
    # Layout in other clothes.
    "cat\r\ndog", "cat\rdog", "cat\r\r\ndog", "cat\r\u200b\ndog", "cat\u000bdog\u000cdog", "cat\u0085dog", "cat\u2028dog\u2029dog", "cat\u00a0dog", "cat\u3000dog", "cat\u2003dog", "cat\u1680dog", "cat\u2013dog", "cat\u2014dog", "cat\u2010dog",
    "\u2212 7", "cat\u2011dog", "cat\u2026dog", "\u2026", "\u201ccat\u201d", "\u00abcat\u00bb", "\u201ecat\u201f", "\u2039cat\u203a", "cat\u2044dog", "cat\u00b7dog", "\u3001cat\u3002", "cat\uff0cdog", "cat \u0301", "\n\u0301", ".\u0301", "(\u0308)", "cat  \u0301 dog",
    # Invisible and broken.
    "ca\u200bt", "ca\u00adt", "\ufeffcat", "cat\u200d", "c\u200ca\u200dt", "\u202ecat\u202c", "\u2066cat\u2069", "\u200b", "\u200b\u200d\ufe0f", "cat\u2060dog", "\u180ecat", "\u115f\u1160", "\u3164", "\uffa0", "\U000e0041\U000e007fcat", "\U000e0100",
    "\x00", "cat\x00dog", "\x01\x02", "\x1b[31mcat", "\x7f", "\x9b", "\x1c\x1d\x1e\x1f", "\ufffd", "\ufffdcat\ufffd", "\ufffc", "\ufff9cat\ufffb", "\ue000", "cat\ue000\ue001", "\U000f0000", "\U0010fffd", "\ufdd0", "\uffff", "\U0010ffff",
    # Combining marks.
    "\u0301", "\u0301cat", "e\u0301\u0301\u0301", "\u0301\u0302 \u0303", "c\u0300a\u0301t\u0302", "cat\u0336", "c\u0336a\u0336t\u0336", "7\u0301", "#\u0301", "$\u03017", "Z\u0351\u036b\u0343\u036a\u0302\u0361", "\u20dd", "7\u20e3", "7\ufe0f\u20e3", "cat\u20e0",
    # Emoji.
    "😀", "😀😀", "😀 😀", "cat😀dog", "👍🏽", "👍🏽👍", "👨\u200d👩\u200d👧", "🏳️\u200d🌈", "❤️", "❤", "☕cat", "🇩🇪", "🇩🇪🇫🇷", "🇩🇪🇫", "🇩", "a🇩🇪b", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "#️⃣", "😀!", "😀\u0301", "™️", "👩🏿\u200d🚒", "Hello 😀, john 👍🏽.",
    # Handles, hashtags and joiners.
    "#cat", "@john", "@john_doe", "# cat", "#", "@", "#@cat", "@@cat", "##cat", "#7%", "@7%", "#$7", "€#7", "#😀", "@日本", "#\u0301", "C#", "C# cat", "a@b", "cat#dog", "ca\u200dt", "\u200dcat", "cat\u200d", "c\u200da\u200dt\u200d", " \u200d ", "\u200d", "7\u200d7", "5551234\u200d567", "a\u200d@b.cd",
    # Other scripts.
    "мир", "Мир", "МИР и труд", "ё", "й и\u0306", "日", "日本語", "日 日", "ひらがな", "カタカナ", "ｶﾀｶﾅ", "カタカナ7", "コーヒー", "漢字かなカナ", "한국어", "\u1112\u1161\u11ab", "안녕 하세요.", "שלום", "צה\"ל", "ג'ורג'", "א' ב'", "שָׁלוֹם", "مرحبا", "مَرْحَبًا", "٣٫١٤", "١٢٣", "۱۲۳,۴",
    "สวัสดี", "สวัสดีครับ cat", "नमस्ते", "हिन्दी क्या", "தமிழ்", "ქართული", "ᲥᲐᲠᲗᲣᲚᲘ", "Ελληνικά", "ΟΔΟΣ", "ຂອບໃຈ", "မြန်မာ", "ភាសាខ្មែរ", "བོད་ཡིག", "አማርኛ", "Tiếng Việt", "𝐜𝐚𝐭", "𐐀𐐨", "𓀀", "cat猫dog", "cat\u0640", "a\u05f3b", "a\u00b7b", "7\u066b7", "7\u066c7", "a\u2024b", "a\uff1ab",
    # Full-width, as it stands and as NFKC makes it.
    "ｃａｔ", "ＣＡＴ！", "cat!", "１２３", "123", "＄７", "ﬁsh", "fish", "①", "㎏", "ℌ", "Ⅷ", "ª", "ﷺ",
    # Long things.
    "x" * 63, "x" * 64, "x" * 65, "é" * 32, "é" * 33, "xy" * 200, "ha" * 32, "friend" + "d" * 58, "friend" + "d" * 59, "$" + "friend" + "d" * 58, "john's " * 8, "1" * 64, "1" * 65, "#" * 70, "-" * 70, "a1" * 33,
    "x" * 62 + "'s", "x" * 64 + "%", "$" + "7" + "%" * 2, "é" * 31 + "x's",
]

# Raw: a surface applies NFKC before the core. Spread over tables, mechanisms, η and options by the generator.
RELEASE = [
    "", " \n", "Hello.", "the cat and the dog", "I'm John, and you're not!", "The river bank. the tree? the dog! the cat", "don't 'quote' \"me\" (i'm fine). ok",
    "Hello John,\n\nmeet me at 10:30 in London (our house).\n- Cat\n- Dog\n\nYour friend", "e.g. this. And e.g. that", "wait... what? (the cat) 'the dog' \"the tree\"",
    "Mail john.doe@cat.com or call +49 30 1234567; see https://cat.com/a?b=c.", "4111 1111 1111 1111 and DE89 3704 0044 0532 0130 00", "$50 off, 7% more, €100 or £7.50", "日本語 мир 😀😀 🇩🇪 שלום",
    "cat😀dog#hello@john", "Ｈｅｌｌｏ　Ｊｏｈｎ！ ﬁsh ½ ①", "ca\u200bt\u00ad\ufeff d\u0301og", "“Hello” — ‘John’… «cat»\r\nnew\u2028line\u00a0here", "   leading and trailing   ", "\ttab\tseparated\tvalues\n1\t2\t3\n",
    "No end", "one.two.three", "A. B. C. d; e: f, g - h / i", "HELLO!!! WHAT??? no.", ".\nthe cat", "the cat.\n(the dog)", "the cat. - the dog", "the cat.) the dog", "!the cat", "\u0301the cat \u0301", "\x00cat\x00",
    "[url] www.cat.com [email] a@b.c [number] 1234567", "I i I'm i'm", "a@b.c. the cat", "x" * 80 + " " + "é" * 40, "freind thier helo baloon cooool 1999 007", "our our our the the the stupid", "cat, " * 30, "😀",
]

ENGLISH = [
    "I went to see Dr. Miller in Boston yesterday because my knee hurts again.", "My name is Sarah Connor and I live at 12 Oak Street, Springfield.",
    "Please call me at (555) 010-9999 or mail sarah.connor@example.org before 5pm.", "The doctor prescribed 20 mg of Lipitor; it's $35.50 a month, 15% more than last year!",
    "hello", "What a wonderful, terrible day...", "I'm so tiiiired of thsi job. My bos is a nightmare.\nHelp?\n\n- quit\n- stay", "“We’ll see,” she said — ‘maybe tomorrow’…",
    "Flight LH454 leaves 2024-02-29 at 10:30 from FRA, see https://example.org/b?id=42.", "Ich wohne in München, Straße 7. 日本語 мир 😀🇩🇪", "The quick brown fox jumps over the lazy dog.", "",
]

# Texts in the English table's language, and texts that are refused.
LANGUAGES = [
    "", "Guten Tag", "I have had a bad headache for three days.", "Ich habe seit drei Tagen starke Kopfschmerzen.", "ICH HABE SEIT DREI TAGEN STARKE KOPFSCHMERZEN.",
    "ich habe seit drei tagen starke kopfschmerzen", "Ich habe seit drei Tagen Kopfschmerzen, and my doctor tells me that it is nothing to worry about.",
    "Le médecin m'a dit de dormir davantage.", "El médico me ha dicho que duerma más.", "Il medico mi ha detto di dormire di più.", "De dokter zei dat ik meer moet slapen.",
    "Lekarz powiedział, że powinienem więcej spać.", "Doktor daha fazla uyumam gerektiğini söyledi.", "Vrach skazal, chto mne nuzhno bolshe spat.", "Doctor ne kaha hai ki mujhe zyada sona chahiye.",
    "Врач сказал, что мне нужно больше спать.", "Ο γιατρός είπε να κοιμάμαι περισσότερο.", "قال الطبيب إنني يجب أن أنام أكثر.", "הרופא אמר שאני צריך לישון יותר.", "医生说我应该多睡一点。", "今夜は妹と映画を見に行きます。",
    "오늘 저녁에 여동생과 영화를 보러 가요.", "मैं आज शाम को अपनी बहन के साथ फिल्म देखने जा रहा हूँ।", "คืนนี้ฉันจะไปดูหนังกับน้องสาว", "日 本 語 日 本", "日 本 語 日 本 語",
    # Five words and six; a digit, a name, an address, a sign are not counted, and an unknown word with one capital neither way.
    "xqa xqb xqc xqd xqe", "xqa xqb xqc xqd xqe xqf", "Xqa Xqb Xqc Xqd Xqe Xqf", "Xqa Xqb Xqc Xqd Xqe xqf", "xqa1 xqb1 xqc1 xqd1 xqe1 xqf1", "XQA XQB XQC XQD XQE XQF", "xqA xqB xqC xqD xqE xqF",
    "a@xq.de b@xq.de c@xq.de d@xq.de e@xq.de f@xq.de", "www.xq.de www.xr.de www.xs.de www.xt.de www.xu.de www.xv.de", "😀 😀 😀 😀 😀 😀", "# & + * = ~ $ %", "1 2 3 4 5 6 7 8", "× ÷ × ÷ × ÷ ×", "ß ß ß ß ß ß", "ΑΒ ΑΓ ΑΔ ΑΕ ΑΖ ΑΗ", "Αβ Αγ Αδ Αε Αζ Αη",
    "the xqa xqb xqc xqd xqe", "the the xqa xqb xqc xqd", "in xqa xqb xqc xqd xqe and", "ｉｃｈ ｈａｂｅ ｓｅｉｔ ｄｒｅｉ ｔａｇｅｎ ｋｏｐｆｓｃｈｍｅｒｚｅｎ", "fr\u200beind fr\u200beind fr\u200beind fr\u200beind fr\u200beind fr\u200beind",
    "Thsi is a tset of speling, wich is nto verry gud", "Tomomi Nishiyama lives at 86036 Rua do Arenque 1634, Goiânia.", "lol omg u r sooo funnyyy haha",
]

# Layouts, for the plain one.
PLAIN = [
    ".", "...!?", "cat", " cat ", "...cat", "cat.", "cat...", "cat. ", "cat.\n\n", "cat!dog", "cat.dog", "cat...dog", "cat ?! dog", "cat\ndog", "cat.\ndog", "cat\n. dog", "cat\n- dog\n- john", "(cat) \"dog\" 'john'",
    "cat, dog; john: you", "cat-dog/john", "cat's. I'm", "the dog (e.g. the cat). i", "😀. 😀!😀😀", "john@cat.com. www.cat.com! 1234567? cat", "10:30. 3.14, 2", "cat\u2026 dog", "cat\u3002dog", "\t cat \t dog \t.",
]

# For the table of forms: each rule, where it applies and where it does not.
MENDED = [
    "a apple", "A hour. an house", "an euro, an union, a uncle, an user", "a 8th and an 11 and an 110 and a 1800", "a mp3, an 😀, a über", "an  apple", "an, apple", "a-apple", "a\napple", "a", "an.",
    "a 1234567", "a john@cat.com apples", "a apples", "an buses", "every heroes", "another children", "this apples", "this films", "that wives", "one houses", "an people",
    "two apple", "these bus", "many hero", "many people", "many child", "2 wife", "12 hour", "1 apple", "2000 apple", "two good", "two time", "two canada", "many went", "two tries", "many artist",
    "to eats", "to hoping", "to hopped", "to stopped", "to stopping", "to tried", "to was", "to has", "to films", "to put", "to ate", "to making", "can films", "will goes", "can been", "don't went", "doesn't used",
    "did went", "did going", "did was", "do films", "do eats", "i is", "i has", "i does", "i were", "i goes", "i films", "i doesn't", "he am", "he have", "he were", "he go", "he like", "he look", "it make", "it good",
    "she canada", "does he go", "without it go", "make it go", "see it are", "it are", "it went", "they is", "you was", "we has", "you goes", "they was eats", "i've go", "i've went", "have see", "has saw", "have like", "have stop", "have put",
    "have time", "have good", "has canada", "have used", "have eats", "canada in june", "in canada", "i'm in june. june", "a apples is the apple", "i has went to looks at a heroes", "it have goes", "a, an a an apple",
]

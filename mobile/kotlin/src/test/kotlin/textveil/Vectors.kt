package textveil

import kotlin.math.abs
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test

/** The golden vectors: the same claims, under the same file name, in every language. */
@DisplayName("vectors")
class VectorsTest {
    @Test
    fun `a seeded release is the reference's, word for word, with its guarantee and account`() = check(
        Reference.vectors("release", "cases") + Reference.vectors("release_english", "cases"),
        found = { one ->
            val (text, guarantee, account) = released(one)
            val entries = account.map { listOf(it.token, it.kind.named, it.clear, it.written) }
            val known = listOf(guarantee.notion.named, guarantee.statement)
            listOf(text, guarantee.words.toDouble(), guarantee.epsilonWord, guarantee.epsilonText, known, entries)
        },
        expected = { one ->
            val words = Reference.words[one["table"].text]
            val entries = one["account"].list.map { entry ->
                val (fate, emitted) = entry["fate"].text to entry["emitted"].text!!
                // The English table's words are not in the vectors; they are lower case, and only their first letter is
                // ever raised.
                val word = entry["written"].number?.let { words?.get(it.toInt()) } ?: emitted.replaceFirstChar(Char::lowercase)
                listOf(entry["token"].text, entry["kind"].text, fate != "private", word.takeIf { fate != "placeholder" })
            }
            val known = Reference.vectors("release", "known_seed").single().let { listOf(it["notion"].text, it["statement"].text) }
            listOf(
                one["release"].text, one["private_tokens"].number, one["epsilon_word"].number, one["epsilon_text"].number,
                known, entries,
            )
        },
    )

    @Test
    fun `a private token stands for the reference's row, found the same way`() = check(
        Reference.vectors("release", "cases").filter { one -> one["account"].list.any { it["fate"].text == "private" } },
        found = { one -> released(one).account.filter { !it.clear }.map { listOf(it.found?.named, it.input, it.output, it.kept) } },
        expected = { one ->
            val words = Reference.words.getValue(one["table"].text!!)
            one["account"].list.filter { it["fate"].text == "private" }.map { entry ->
                val (row, out) = listOf("row", "out").map { name -> entry[name].number?.let { words[it.toInt()] } }
                listOf(entry["found"].text, row, out, entry["row"].number == entry["written"].number)
            }
        },
    )

    @Test
    fun `a device answers the reference's integers once, with its guarantee`() {
        val requests = Reference.vectors("contributions", "requests").associateBy { it["name"].text }
        check(
            Reference.vectors("contributions", "cases"),
            found = { one ->
                val asked = requests.getValue(one["request"].text)
                val contributor = Contributor(asked["request"].text!!, Reference.table(asked["table"].text!!), trustedSum = true)
                val (texts, epsilon) = one["texts"].list.map { it.text!! } to one["epsilon"].number
                val given = contributor.native.contributeSeeded(texts, epsilon, one["seed"].bytes)
                val rho = given.guarantee.rho
                val (bits, largest) = given.bits.toDouble() to given.largest.toDouble()
                // A device draws noise from the known seed only where devices add it.
                val isDrawn = given.guarantee.noise != ContributionNoise.Sum
                val same = contributor.id == given.id && given.guarantee.knownSeed == isDrawn &&
                    (contributor.guarantee(epsilon) == given.guarantee) == !isDrawn
                val again = codeOf { contributor.contribute(texts) }
                listOf(given.vector.map(Int::toDouble), given.id, bits, largest, settled(rho, one["rho"].number, 1e-9 * rho), same, again)
            },
            expected = { one ->
                val asked = requests.getValue(one["request"].text)
                val (bits, largest) = asked["bits"].number to asked["largest"].number
                val vector = one["vector"].list.map { it.number }
                listOf(vector, asked["id"].text, bits, largest, one["rho"].number, true, "already-contributed")
            },
        )
    }

    @Test
    fun `a request that breaks a rule, and a budget above the request's, are refused as by the reference`() = check(
        Reference.vectors("contributions", "refused"),
        found = { one ->
            val text = one["unit"].text!!.repeat(one["times"].number!!.toInt())
            codeOf { Contributor(one["request"].text!!, Reference.table(one["table"].text!!), true).contribute(listOf(text), one["epsilon"].number) }
        },
        expected = { it["error"].text },
    )

    @Test
    fun `a guarantee is described as by the reference, in every language`() = check(
        Reference.vectors("describe", "cases"),
        found = { one -> guaranteeOf(one["guarantee"]).let { told -> LOCALES.map { told.describe(it) } + told.describe() } },
        expected = { one -> LOCALES.map { one[it].text } + one["en"].text },
    )

    @Test
    fun `a text is split into the reference's pieces`() = check(
        Reference.vectors("pipeline", "cases"),
        found = { one ->
            val pieces = Reference.veil("odd.tvt").native.split(one["text"].text!!)
            pieces.map { (it.kind?.named ?: "layout") to it.text }
        },
        expected = { one ->
            one["pieces"].list.map { piece ->
                if (piece["layout"].isNull) piece["kind"].text to piece["token"].text else "layout" to piece["layout"].text
            }
        },
    )

    @Test
    fun `a requested ε becomes the reference's η, and ε again`() = check(
        Reference.vectors("mechanism", "epsilon"),
        found = { one ->
            val asked = Options(mechanism = mechanism(one), epsilon = one["epsilon"].number)
            val guarantee = Reference.veil(one["table"].text).guarantee(asked)
            guarantee.eta to guarantee.epsilonWord
        },
        expected = { one -> one["eta"].number to one["epsilon_word"].number },
    )

    @Test
    fun `a good table is read - identity and levels`() = check(
        Reference.vectors("table", "good"),
        found = { one ->
            val veil = Reference.veil(one["file"].text)
            val (certified, measured) = veil.levels().filter { it.mechanism != Mechanism.NEAREST }.partition { it.certificate != null }
            val levels = measured.map { listOf(it.mechanism.id, it.eta, it.retention, it.retentionByFrequency) }
            listOf(veil.tableId, levels, certified.map { numbers(it.certificate!!) })
        },
        expected = { one ->
            // The identity is the checksum that the file itself carries.
            val identity = Reference.table(one["file"].text!!).sliceArray(32 until 64)
            val levels = one["levels"].list.map { level ->
                val (uniform, frequent) = level["retention_uniform"].number to level["retention_by_frequency"].number
                listOf(level["mechanism"].text, level["eta"].number, uniform, frequent)
            }
            val certificates = one["certificates"]["levels"].list.map { certificate ->
                CERTIFIED.map { certificate[it].number }
            }
            listOf(identity.joinToString("") { "%02x".format(it) }, levels, certificates)
        },
    )

    @Test
    fun `a bad table is refused`() = check(
        Reference.vectors("table", "bad"),
        found = { one -> codeOf { TextVeil.fromTable(java.util.Base64.getDecoder().decode(one["bytes"].text)) } },
        expected = { it["error"].text },
    )

    @Test
    fun `η and ε out of range are refused, those on the edge are not`() = check(
        Reference.vectors("errors", "privacy"),
        found = { one ->
            val asked = Options(Mechanism.EXPONENTIAL, epsilon = one["epsilon"].number, eta = one["eta"].number)
            codeOf { Reference.veil(one["table"].text).guarantee(asked) }
        },
        expected = { it["error"].text },
    )

    @Test
    fun `every mechanism for words draws the reference's, one after the other from one keystream`() = check(
        Reference.vectors("mechanisms", "cases"),
        found = { one ->
            val inputs = one["inputs"].list.map { it.number!!.toUInt() }
            val native = Reference.veil(one["table"].text).native
            native.drawSeeded(inputs, optionsOf(one), one["seed"].bytes).map(UInt::toDouble)
        },
        expected = { one -> one["outputs"].list.map { it.number } },
    )

    @Test
    fun `every mechanism for words has the reference's guarantee`() = check(
        Reference.vectors("mechanisms", "cases"),
        found = { one -> guaranteed(Reference.veil(one["table"].text).guarantee(optionsOf(one)), one, ofOneWord(one)) },
        expected = { one -> numbers(ofOneWord(one)) },
    )

    @Test
    fun `every representation is the reference's, with its guarantee`() = check(
        Reference.vectors("representations", "cases") + Reference.vectors("representations", "whole_texts"),
        found = { one ->
            val drawn = represented(one)
            // The length of a unit vector is calibrated; every other step is exact.
            val margin = if (one["mechanism"].text == "privunit2") CALIBRATED else 0.0
            val expected = rows(one)
            val rows = drawn.bits?.map(::digits) ?: drawn.vectors!!.mapIndexed { at, row ->
                row.mapIndexed { place, x ->
                    settled(x, (expected.getOrNull(at) as? List<*>)?.getOrNull(place) as? Double, margin * abs(x))
                }
            }
            rows to guaranteed(drawn.guarantee, one, one["guarantee"])
        },
        expected = { one -> rows(one) to numbers(one["guarantee"]) },
    )

    @Test
    fun `every choice is reported as by the reference, with its guarantee and claim`() = check(
        Reference.vectors("choices", "cases"),
        found = { one ->
            val (index, size) = one["value"].number!!.toUInt() to one["size"].number!!.toUInt()
            val native = Reference.veil(null).native
            val report = ChoiceReport(native.choiceSeeded(index, size, choiceOptionsOf(one), one["seed"].bytes))
            val claim = report.guarantee.claim?.let { Triple(it.epsilon, it.delta, it.holds) }
            listOf(digits(report.values), guaranteed(report.guarantee, one, one["guarantee"]), report.guarantee.unit, claim)
        },
        expected = { one ->
            val claim = one["claim"].takeUnless { it.isNull }
            val numbers = claim?.let { Triple(it["epsilon"].number, it["delta"].number, it["holds"].truth) }
            listOf(one["bits"].text, numbers(one["guarantee"]), PrivacyUnit.VALUE, numbers)
        },
    )

    @Test
    fun `a release of words is remembered by the reference's key`() = check(
        Reference.vectors("keys", "words"),
        found = { one ->
            val options = optionsOf(one).copy(
                keepFunctionWords = one["keep_function_words"].truth!!, placeholders = one["placeholders"].truth!!,
                plainLayout = one["plain_layout"].truth!!, asDrawn = one["as_drawn"].truth!!,
            )
            Reference.veil(one["table"].text).native.key(one["text"].text!!, options, one["field"].text)
        },
        expected = { it["key"].text },
    )

    @Test
    fun `a representation is remembered by the reference's key`() = check(
        Reference.vectors("keys", "texts") + Reference.vectors("keys", "vectors"),
        found = { one ->
            val (native, options) = Reference.veil(one["table"].text).native to representationOptionsOf(one)
            if (one["vectors"].isNull) native.representationKey(one["text"].text!!, options, one["field"].text)
            else native.representationOfKey(vectorsOf(one).map(::packed), options, one["field"].text)
        },
        expected = { it["key"].text },
    )

    @Test
    fun `a whole text is remembered by the reference's key`() = check(
        Reference.vectors("keys", "whole_texts"),
        found = { one -> textVectorsOf(one).native.key(one["text"].text!!, one["field"].text) },
        expected = { it["key"].text },
    )

    @Test
    fun `an answer is remembered by the reference's key`() = check(
        Reference.vectors("keys", "choices"),
        found = { one ->
            val (index, size) = one["value"].number!!.toUInt() to one["size"].number!!.toUInt()
            Reference.veil(null).native.choiceKey(index, size, one["question"].text!!, choiceOptionsOf(one))
        },
        expected = { it["key"].text },
    )

    @Test
    fun `what cannot be a choice is refused, what just can is not`() = check(
        Reference.vectors("choices", "refused"),
        found = { one ->
            val (index, size) = one["value"].number!!.toInt() to one["size"].number!!.toInt()
            codeOf { Reference.veil(null).choice(index, size, "any", choiceOptionsOf(one)) }
        },
        expected = { it["error"].text },
    )

    @Test
    fun `what a mechanism cannot do for words is refused, what it just can is not`() = check(
        Reference.vectors("refusals", "words"),
        found = { one -> codeOf { Reference.veil(one["table"].text).privatize("", optionsOf(one)) } },
        expected = { it["error"].text },
    )

    @Test
    fun `what a mechanism cannot do for the representation of a text is refused, what it just can is not`() = check(
        Reference.vectors("refusals", "texts"),
        found = { one ->
            codeOf { Reference.veil(one["table"].text).representation(one["text"].text!!, representationOptionsOf(one)) }
        },
        expected = { it["error"].text },
    )

    @Test
    fun `what cannot represent a whole text is refused, what just can is not`() = check(
        // The object has one mechanism, and no dropout.
        Reference.vectors("refusals", "whole_texts").filter { one ->
            one["mechanism"].text == "privunit2" && one["dropout"].isNull && one["options"].members.keys == setOf("epsilon")
        },
        found = { one -> codeOf { textVectorsOf(one).representation("") } },
        expected = { it["error"].text },
    )

    @Test
    fun `what a mechanism cannot do with vectors is refused, what it just can is not`() = check(
        Reference.vectors("refusals", "vectors"),
        found = { one -> codeOf { Reference.veil(null).representationOf(vectorsOf(one), representationOptionsOf(one)) } },
        expected = { it["error"].text },
    )

    @Test
    fun `a release without what a detector found is the reference's, with what its guarantee says is public`() = check(
        Reference.vectors("redaction", "cases"),
        found = { one ->
            val detected = Detected(Offsets.CODE_POINTS, one["spans"].list.map(::spanOf)).takeUnless { one["spans"].isNull }
            val native = Reference.veil(one["table"].text).native
            val (text, guarantee) = native.privatizeSeeded(one["text"].text!!, redactionOf(one), one["seed"].bytes, detected)
            val lists = listOf(guarantee.keptWords, guarantee.neverSaid).map { it?.run { words.toDouble() to digest } }
            listOf(text, guarantee.words.toDouble(), guarantee.clear.map { it.named }, lists)
        },
        expected = { one ->
            val lists = listOf(one["kept_words"], one["never_said"]).map { list ->
                list.takeUnless { it.isNull }?.let { it["words"].number to it["digest"].text }
            }
            listOf(one["release"].text, one["private_tokens"].number, one["clear"].list.map { it.text }, lists)
        },
    )

    @Test
    fun `spans and lists that are none are refused as by the reference`() = check(
        Reference.vectors("redaction", "refusals"),
        found = { one ->
            val detected = Detected(Offsets.CODE_POINTS, one["spans"].list.map(::spanOf)).takeUnless { one["spans"].isNull }
            codeOf { refusals { Reference.veil(one["table"].text).native.privatize(one["text"].text!!, redactionOf(one), null, detected) } }
        },
        expected = { it["error"].text },
    )

    @Test
    fun `a text is refused one byte beyond the limit`() = check(
        Reference.vectors("errors", "texts"),
        found = { one ->
            val text = one["unit"].text!!.repeat(one["times"].number!!.toInt())
            codeOf { Reference.veil("odd.tvt").privatize(text, Options(Mechanism.EXPONENTIAL, eta = 1.0)) }
        },
        expected = { it["error"].text },
    )

    @Test
    fun `a text of another language is refused unless any language is asked for`() = check(
        Reference.vectors("release_english", "languages"),
        found = { one ->
            listOf(false, true).map { any ->
                val options = Options(Mechanism.EXPONENTIAL, eta = 2.0, anyLanguage = any)
                codeOf { Reference.veil(one["table"].text).privatize(one["text"].text!!, options) }
            }
        },
        expected = { listOf(it["error"].text, null) },
    )
}

/** What is searched for is found to within this share of it. */
private const val CALIBRATED = 1e-5

/** The numbers of a certificate, in the order of [numbers]. */
private val CERTIFIED = listOf(
    "beta", "cutoff", "near", "eta", "epsilon", "step", "retention", "retention_by_frequency", "support",
    "expected_distance", "inversion", "inversion_by_frequency",
)

private fun numbers(certificate: Certificate) = certificate.run {
    listOf(
        beta, cutoff, near, eta, epsilon, step, retention, retentionByFrequency, support, expectedDistance, inversion,
        inversionByFrequency,
    )
}

/** The name of a case that is the same in every language. */
private val Enum<*>.named get() = name.lowercase().replace('_', '-')

private fun released(one: Case): NativeRelease {
    val options = Options(
        mechanism(one), eta = one["eta"].number, keepFunctionWords = one["options"]["keep_function_words"].truth!!,
        placeholders = one["options"]["placeholders"].truth!!, plainLayout = one["options"]["plain_layout"].truth!!,
        anyLanguage = one["options"]["any_language"].truth!!, asDrawn = one["options"]["as_drawn"].truth!!,
    )
    return Reference.veil(one["table"].text).native.privatizeSeeded(one["text"].text!!, options, one["seed"].bytes)
}

private fun spanOf(one: Case): DetectedSpan =
    one.list.let { (start, end, kind) -> DetectedSpan(start.text!!.toULong(), end.text!!.toULong(), kind.text!!) }

/** A case of `redaction.json`, by the mechanism that all of them have. */
private fun redactionOf(one: Case): Options {
    fun given(name: String) = one["options"][name].truth ?: false
    return Options(
        Mechanism.EXPONENTIAL, eta = one["eta"].number ?: 1.0, keepFunctionWords = given("keep_function_words"),
        placeholders = given("placeholders"), plainLayout = given("plain_layout"), asDrawn = given("as_drawn"), anyLanguage = true,
        keepWords = one["keep_words"].list.map { it.text!! }, neverSay = one["never_say"].list.map { it.text!! },
    )
}

private fun mechanism(one: Case): Mechanism = checkNotNull(mechanismOf(one["mechanism"].text!!))

private fun calibration(one: Case): Calibration? =
    one["options"]["calibration"].text?.let { Calibration.valueOf(it.uppercase()) }

private fun vectorsOf(one: Case): List<DoubleArray> =
    one["vectors"].list.map { row -> row.list.map { it.number!! }.toDoubleArray() }

/** The rows that are expected: digits, or integers times their scale. */
private fun rows(one: Case): List<Any?> =
    if (one["bits"].isNull) one["integers"].list.map { row -> row.list.map { one["scale"].number!! * it.number!! } }
    else one["bits"].list.map { it.text }

/** The bits of a row, as the vectors write them. */
private fun digits(bits: BooleanArray): String = bits.joinToString("") { if (it) "1" else "0" }

/** What the reference promises of one word. */
private fun ofOneWord(one: Case): Case = one["guarantees"].list.first { it["words"].number == 1.0 }

private fun numbers(guarantee: Case): List<Double?> =
    listOf("words", "epsilon_word", "delta_word", "epsilon_text", "delta_text").map { guarantee[it].number }

/** The numbers of a guarantee. A number within the vectors' accuracy becomes the expected one; `null` where none is expected. */
private fun guaranteed(found: Guarantee, one: Case, expected: Case): List<Double?> {
    val sampled = mechanism(one) in listOf(Mechanism.GAUSSIAN, Mechanism.TRUNCATED_LAPLACE)
    val accuracy = if (sampled && calibration(one) == Calibration.PUBLISHED) CALIBRATED else 2e-8
    fun number(name: String, value: Double, growth: Double = 1.0): Double? {
        val wanted = expected[name].number ?: return null
        return settled(value, wanted, accuracy * growth * wanted + Math.ulp(1.0))
    }
    return listOf(
        found.words.toDouble(),
        number("epsilon_word", found.epsilonWord),
        number("delta_word", found.deltaWord),
        number("epsilon_text", found.epsilonText),
        // The δ of a text grows with e^(ε of the text).
        number("delta_text", found.deltaText, 1 + found.epsilonText),
    )
}

/** A number as the one expected if it is that to within [margin]. */
private fun settled(found: Double, expected: Double?, margin: Double): Double =
    if (expected != null && abs(found - expected) <= margin) expected else found

/** A guarantee from JSON. */
private fun guaranteeOf(one: Case) = Guarantee(
    mechanism = mechanism(one),
    calibration = named<Calibration>(one["calibration"])!!,
    parameters = one["parameters"].members.map { (name, value) -> Parameter.valueOf(name.replace(Regex("([A-Z])"), "_\$1").uppercase()) to value.number!! }.toMap(),
    notion = named<Notion>(one["notion"])!!,
    unit = named<PrivacyUnit>(one["unit"])!!,
    neighbours = one["neighbours"].text!!,
    eta = one["eta"].number,
    metric = named<Metric>(one["metric"]),
    cutoff = one["cutoff"].number,
    epsilonWord = one["epsilonWord"].number!!,
    deltaWord = one["deltaWord"].number!!,
    words = one["words"].text!!.toUInt(),
    epsilonText = one["epsilonText"].number!!,
    deltaText = one["deltaText"].number!!,
    claim = one["claim"].takeUnless { it.isNull }?.let { claim ->
        Claim(claim["epsilon"].number!!, claim["delta"].number!!, claim["source"].text!!, claim["holds"].truth!!)
    },
    exactSampler = one["exactSampler"].truth!!,
    totalVariation = one["totalVariation"].number!!,
    clear = one["clear"].list.map { named<InTheClear>(it)!! },
    table = one["table"].text,
    statement = one["statement"].text!!,
)

/** The case of an enum by its name in JSON; `null` for an unknown name. */
private inline fun <reified E : Enum<E>> named(name: Case): E? = enumValues<E>().find { it.named == name.text }

private val LOCALES = listOf("en", "de", "fr", "es")

/** What a vector asks for. */
private fun optionsOf(one: Case): Options = one["options"].run {
    Options(
        mechanism(one), calibration(one), level = this["level"].number, epsilon = this["epsilon"].number,
        eta = this["eta"].number, delta = this["delta"].number, clip = this["clip"].number,
        lambda = this["lambda"].number, gamma = this["gamma"].number, t = this["t"].number,
        integerBits = this["integer_bits"].number, fractionBits = this["fraction_bits"].number, tilt = this["tilt"].number,
        mass = this["mass"].number, frequencyPower = this["frequency_power"].number,
        preset = this["preset"].text?.let { Preset.valueOf(it.uppercase()) },
    )
}

private fun representationOptionsOf(one: Case): RepresentationOptions = optionsOf(one).run {
    val (random, fixed, mask) = listOf("bernoulli", "fixed", "mask").map { one["dropout"][it] }
    val dropout = when {
        !random.isNull -> Dropout.Random(random.number!!)
        !fixed.isNull -> Dropout.Fixed(fixed.number!!)
        !mask.isNull -> Dropout.Mask(mask.list.map { it.truth!! })
        else -> null
    }
    val unit = one["unit"].text?.let { PrivacyUnit.valueOf(it.uppercase()) }
    RepresentationOptions(
        mechanism, calibration, level, epsilon, eta, delta, one["clip"].number ?: clip, lambda, gamma, t, integerBits,
        fractionBits, tilt, mass, frequencyPower, preset, unit, dropout,
    )
}

/** What represents the whole texts of a case. */
private fun textVectorsOf(one: Case): TextVectors =
    TextVectors(Reference.table(one["encoder"].text!!), one["options"]["epsilon"].number!!, one["dims"].number?.toInt())

/** The representation that a case asks for, from the keystream of its seed. */
private fun represented(one: Case): Representation {
    val seed = one["seed"].bytes
    if (!one["encoder"].isNull) return Representation(textVectorsOf(one).native.representationSeeded(one["text"].text!!, seed))
    val (native, options) = Reference.veil(one["table"].text).native to representationOptionsOf(one)
    return Representation(
        if (one["vectors"].isNull) native.representationSeeded(one["text"].text!!, options, seed)
        else native.representationOfSeeded(vectorsOf(one).map(::packed), options, seed),
    )
}

private fun choiceOptionsOf(one: Case): ChoiceOptions = optionsOf(one).run {
    ChoiceOptions(
        mechanism, calibration, level, epsilon, eta, delta, clip, lambda, gamma, t, integerBits, fractionBits, tilt,
        mass, frequencyPower, preset,
    )
}

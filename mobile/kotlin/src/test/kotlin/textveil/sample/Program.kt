@file:JvmName("Program")

package textveil.sample

import kotlinx.coroutines.runBlocking
import textveil.Options
import textveil.TextVeil
import textveil.TextVeilException
import textveil.code

/** The sample as a program, which the step `kotlin` shrinks as an app is shrunk, and then runs. */
fun main(): Unit = runBlocking {
    TextVeil().use { veil ->
        val typed = "My sister was diagnosed with diabetes in March."
        val field = PrivateText(veil, "comment")
        field.finish(typed)
        val release = checkNotNull(field.release) { "no release: ${field.problem}" }
        check(release.guarantee.describe("en").isNotEmpty())
        // Lists, optional numbers, enums and errors cross the border too.
        check(veil.levels().isNotEmpty() && veil.alternatives("sister").distribution.isNotEmpty())
        val refused = runCatching { veil.privatize(typed, Options(epsilon = -1.0)) }.exceptionOrNull()
        check((refused as TextVeilException).code == "invalid-epsilon") { refused.code }
    }
}

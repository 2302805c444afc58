//! Empty. maturin takes only libraries into a source distribution, and the program beside this comes with it.

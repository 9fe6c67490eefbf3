//! Why a transfer over HTTP came to nothing.

/// What is wrong with a URL or an answer, in words for the person at the client, with the next step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// No URL.
    #[error("`{0}` is no URL: {1}")]
    NotAUrl(String, String),
    /// `ftp:` and the like.
    #[error("`{0}` names another protocol than http and https: give a URL of one of these, or a host")]
    Scheme(String),
    /// `user:password@host`.
    #[error(
        "the URL holds a user or password, which would be seen by everybody who lists processes: leave them out"
    )]
    Credentials,
    /// The answer is no success.
    #[error("{url} answers {status}: {hint}")]
    Status {
        /// What was asked for.
        url: String,
        /// Number and words of the status.
        status: String,
        /// The next step.
        hint: &'static str,
    },
    /// The server compresses although asked not to.
    #[error(
        "{url} comes compressed ({encoding}) although the file itself was asked for: the rate would not be the file's; name a file that is stored as it is"
    )]
    Compressed {
        /// What was asked for.
        url: String,
        /// `Content-Encoding`.
        encoding: String,
    },
    /// Parts of a file cannot be had, and several connections were asked for.
    #[error(
        "{0} cannot be had in parts: the server serves no ranges of it, so there is one stream (leave out --streams)"
    )]
    NoRanges(String),
    /// Too little for so many connections.
    #[error("{0} is too small for so many streams: give fewer --streams, or a larger file")]
    TooSmall(String),
    /// A part was asked for, and another came.
    #[error("{0}: the server answers with another part than it was asked for: leave out --streams")]
    WrongPart(String),
    /// There is nothing to transfer.
    #[error("{0} is empty: name a larger file")]
    Empty(String),
    /// Redirects without an end.
    #[error("{0} leads on and on: {1} redirects were followed, and it redirects again")]
    TooManyRedirects(String, usize),
    /// A redirect to nowhere.
    #[error("{0} redirects, and does not tell where to in a way that can be followed: {1}")]
    BadRedirect(String, String),
    /// From TLS to plain text.
    #[error(
        "{from} redirects to {to}, which is not encrypted any more: name that URL to measure it all the same"
    )]
    Downgrade {
        /// What was asked for.
        from: String,
        /// Where it leads.
        to: String,
    },
    /// An upload is sent once.
    #[error("{from} redirects the upload to {to}: name that URL")]
    UploadRedirected {
        /// What was asked for.
        from: String,
        /// Where it leads.
        to: String,
    },
    /// A public server names a private address.
    #[error(
        "{from} redirects to {to}, which is at a private address ({address}): a public server has no business there; name that URL if you mean it"
    )]
    IntoPrivate {
        /// What was asked for.
        from: String,
        /// Where it leads.
        to: String,
        /// Its address.
        address: std::net::IpAddr,
    },
    /// Another server than the one whose path is diagnosed.
    #[error(
        "{from} redirects to another server: the data come from {to}, so the path to that one matters; diagnose that URL"
    )]
    OtherServer {
        /// What was asked for.
        from: String,
        /// Where it leads.
        to: String,
    },
    /// What came is no evidence.
    #[error("{0}")]
    TooShort(String),
}
